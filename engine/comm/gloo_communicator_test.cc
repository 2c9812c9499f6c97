#include "engine/comm/gloo_communicator.h"

#include <cmath>
#include <string>
#include <vector>

#include "base/status_matchers.h"
#include "engine/comm/communicator.h"
#include "engine/comm/testing_world.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

using ::zs::testing::RunRanks;

// Element I of RANK's contribution: small integers, whose sums are exact in
// any order.
float Value(int rank, int64_t i) {
  return static_cast<float>((i * 7 + rank * 13) % 101 - 50);
}

std::vector<float> Contribution(int rank, int64_t n) {
  std::vector<float> values(n);
  for (int64_t i = 0; i < n; ++i) {
    values[i] = Value(rank, i);
  }
  return values;
}

float Sum(int world_size, int64_t i) {
  float sum = 0;
  for (int r = 0; r < world_size; ++r) {
    sum += Value(r, i);
  }
  return sum;
}

// Sizes around slice and chunk boundaries (a chunk holds 65,536 floats).
std::vector<int64_t> Sizes() {
  return {1, 2, 3, 7, 1000, 65536 * 3, 65536 * 9 + 5};
}

class CollectiveTest : public ::testing::TestWithParam<int> {};

TEST_P(CollectiveTest, AllReduceIsExact) {
  RunRanks(GetParam(), [](Communicator& comm) {
    for (const int64_t n : Sizes()) {
      std::vector<float> values = Contribution(comm.rank(), n);
      ASSERT_OK(comm.AllReduce(std::span<float>(values),
                               std::span<float>(values), Combine::kAssign)
                    .Wait());
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(values[i], Sum(comm.size(), i)) << n << " at " << i;
      }
    }
  });
}

TEST_P(CollectiveTest, AllReduceAddsToWhatWasThere) {
  RunRanks(GetParam(), [](Communicator& comm) {
    std::vector<float> values = Contribution(comm.rank(), 1001);
    std::vector<float> total(1001, 3);
    ASSERT_OK(comm.AllReduce(std::span<float>(values), std::span<float>(total),
                             Combine::kAdd)
                  .Wait());
    for (int64_t i = 0; i < 1001; ++i) {
      ASSERT_EQ(total[i], Sum(comm.size(), i) + 3);
      ASSERT_EQ(values[i], Value(comm.rank(), i));
    }
  });
}

TEST_P(CollectiveTest, ReduceScatterGivesEachRankItsSlice) {
  RunRanks(GetParam(), [](Communicator& comm) {
    for (const int64_t n : Sizes()) {
      std::vector<float> values = Contribution(comm.rank(), n);
      const Slice mine = SliceOf(n, comm.rank(), comm.size());
      std::vector<float> out(mine.size(), 2);
      ASSERT_OK(comm.ReduceScatter(std::span<float>(values),
                                   std::span<float>(out), Combine::kAdd)
                    .Wait());
      for (int64_t i = 0; i < mine.size(); ++i) {
        ASSERT_EQ(out[i], Sum(comm.size(), mine.begin + i) + 2);
      }
    }
  });
}

TEST_P(CollectiveTest, AllGatherAndBroadcastOfDoubles) {
  RunRanks(GetParam(), [](Communicator& comm) {
    for (const int64_t n : {1, 5, 64}) {
      const Slice mine = SliceOf(n, comm.rank(), comm.size());
      std::vector<double> values(n, -1);
      for (int64_t i = mine.begin; i < mine.end; ++i) {
        values[i] = std::sqrt(static_cast<double>(i));
      }
      ASSERT_OK(comm.AllGather(std::span<double>(values)).Wait());
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(values[i], std::sqrt(static_cast<double>(i)));
      }
    }
    const int root = comm.size() - 1;
    std::vector<double> word(3, comm.rank() == root ? 0.1 : 9);
    ASSERT_OK(comm.Broadcast(std::span<double>(word), root).Wait());
    EXPECT_EQ(word, std::vector<double>(3, 0.1));
  });
}

// (big + 1) - big is 1 or 0, whichever rank's turn it is: the order shows.
TEST_P(CollectiveTest, SumsInRankOrder) {
  RunRanks(GetParam(), [](Communicator& comm) {
    std::vector<float> values(64);
    const std::vector<float> by_rank = {1e8F, 3, -1e8F, 1.5F};
    for (float& value : values) {
      value = by_rank[comm.rank()];
    }
    float expected = by_rank[0];
    for (int r = 1; r < comm.size(); ++r) {
      expected += by_rank[r];
    }
    ASSERT_OK(comm.AllReduce(std::span<float>(values), std::span<float>(values),
                             Combine::kAssign)
                  .Wait());
    EXPECT_EQ(values, std::vector<float>(64, expected));
  });
}

TEST_P(CollectiveTest, CountsCallsAndBytes) {
  RunRanks(GetParam(), [](Communicator& comm) {
    std::vector<float> values(64 * comm.size());
    const std::span<float> all(values);
    const int64_t mine = 64 * comm.rank();
    ASSERT_OK(comm.AllReduce(all, all, Combine::kAssign).Wait());
    ASSERT_OK(comm.ReduceScatter(all, all.subspan(mine, 64), Combine::kAssign)
                  .Wait());
    ASSERT_OK(comm.AllGather(all).Wait());
    int64_t bytes = 0;
    for (const CommUse& use : comm.TakeUse()) {
      EXPECT_EQ(use.calls, 1);
      bytes += use.bytes;
    }
    // All-reduce 2 S (N-1)/N, the others S (N-1)/N, with S = 256 N bytes.
    EXPECT_EQ(bytes, comm.size() == 1 ? 0 : 4 * 256 * (comm.size() - 1));
  });
}

INSTANTIATE_TEST_SUITE_P(World, CollectiveTest, ::testing::Values(1, 2, 3, 4));

TEST(SliceTest, CoversEveryElementOnce) {
  for (int size = 1; size <= 9; ++size) {
    for (int64_t count = 0; count <= 64; ++count) {
      int64_t next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const Slice slice = SliceOf(count, rank, size);
        ASSERT_EQ(slice.begin, next);
        ASSERT_GE(slice.size(), 0);
        next = slice.end;
      }
      ASSERT_EQ(next, count);
    }
  }
}

TEST(RendezvousTest, NamesTheRankThatDoesNotCome) {
  const auto env = testing::TestEnvironment(0, 2, testing::FreePort());
  EXPECT_STATUS(Rendezvous::Join(env, "x", 0.2).status(),
                StatusCode::kDeadlineExceeded, "rank 1 of 2 did not join");
}

TEST(RendezvousTest, NamesTheRankThatDiffers) {
  const int port = testing::FreePort();
  std::thread other([port] {
    (void)Rendezvous::Join(testing::TestEnvironment(1, 2, port), "y", 2);
  });
  EXPECT_STATUS(
      Rendezvous::Join(testing::TestEnvironment(0, 2, port), "x", 2).status(),
      StatusCode::kFailedPrecondition, "rank 1 (");
  other.join();
}

}  // namespace
}  // namespace zs
