#include "engine/zero/partition.h"

#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(PartitionTest, EveryElementHasOneOwner) {
  for (int world = 1; world <= 9; ++world) {
    for (int64_t size = 0; size <= 64; ++size) {
      const UnitPartition unit(size, world);
      int64_t next = 0;
      int64_t next_owned = 0;
      for (int rank = 0; rank < world; ++rank) {
        const Range shard = unit.Shard(rank);
        ASSERT_EQ(shard.begin, next);
        ASSERT_EQ(shard.size(), unit.shard);
        ASSERT_EQ(shard.begin % 32, 0);
        next = shard.end;
        const Range owned = unit.Owned(rank);
        ASSERT_GE(owned.size(), 0);
        if (owned.size() > 0) {
          ASSERT_EQ(owned.begin, next_owned);
          next_owned = owned.end;
        }
      }
      ASSERT_EQ(next, unit.padded);
      ASSERT_EQ(next_owned, size);
      ASSERT_LT(unit.padded - size, 32 * world);
    }
  }
}

TEST(PartitionTest, DecayRangesJoinEqualNeighbours) {
  Unit unit;
  unit.size = 100;
  unit.parameters = {{.name = "a", .size = 10, .offset = 0, .decay = true},
                     {.name = "b", .size = 20, .offset = 10, .decay = true},
                     {.name = "c", .size = 30, .offset = 30, .decay = false},
                     {.name = "d", .size = 40, .offset = 60, .decay = true}};
  const auto all = DecayRanges(unit, {0, 100});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].range, (Range{0, 30}));
  EXPECT_FALSE(all[1].decay);
  const auto part = DecayRanges(unit, {15, 40});
  ASSERT_EQ(part.size(), 2U);
  EXPECT_EQ(part[0].range, (Range{15, 30}));
  EXPECT_EQ(part[1].range, (Range{30, 40}));
  EXPECT_TRUE(DecayRanges(unit, {50, 50}).empty());
}

}  // namespace
}  // namespace zs
