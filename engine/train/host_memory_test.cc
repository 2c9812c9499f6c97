#include "engine/train/host_memory.h"

#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(HostMemoryTest, ReadsMemAvailable) {
  EXPECT_EQ(MemAvailableBytes("MemTotal:  9 kB\nMemAvailable:   12 kB\n"),
            12 * 1024);
  EXPECT_EQ(MemAvailableBytes("MemTotal: 9 kB\n"), std::nullopt);
  EXPECT_EQ(MemAvailableBytes("MemAvailable: many kB\n"), std::nullopt);
  EXPECT_EQ(MemAvailableBytes("MemAvailable:"), std::nullopt);
}

// A group that has read its training data uses all of its limit, most of it for
// pages that the kernel drops when somebody needs them.
TEST(HostMemoryTest, PageCacheOfTheControlGroupIsAvailable) {
  const char* const stat =
      "anon 300\nfile 690\nkernel 10\nshmem 40\nworkingset_active_file 7\n"
      "inactive_anon 340\ninactive_file 500\nactive_file 150\n";
  EXPECT_EQ(GroupAvailableBytes("1000\n", "1000\n", stat), 650);
  EXPECT_EQ(GroupAvailableBytes("1000\n", "900\n", stat), 750);
  EXPECT_EQ(GroupAvailableBytes("1000\n", "400\n", ""), 600);
  EXPECT_EQ(GroupAvailableBytes("1000\n", "1200\n", ""), 0);
  EXPECT_EQ(GroupAvailableBytes("1000\n", "200\n", stat), 1000);
  EXPECT_EQ(GroupAvailableBytes("max\n", "1000\n", stat), std::nullopt);
  EXPECT_EQ(GroupAvailableBytes("", "", ""), std::nullopt);
}

TEST(HostMemoryTest, ThisMachineHasSome) {
  EXPECT_GT(AvailableMemoryBytes().value_or(0), 0);
}

TEST(HostMemoryTest, PeakGrowsWithWhatIsTouched) {
  constexpr int64_t kBytes = int64_t{64} << 20;
  const int64_t before = PeakResidentBytes();
  const std::vector<char> block(kBytes, 1);
  EXPECT_GT(PeakResidentBytes(), before);
  EXPECT_GE(PeakResidentBytes(), kBytes);
  EXPECT_EQ(block.back(), 1);
}

}  // namespace
}  // namespace zs
