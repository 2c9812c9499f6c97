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
