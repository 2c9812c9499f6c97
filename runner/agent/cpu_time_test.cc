#include "runner/agent/cpu_time.h"

#include <gtest/gtest.h>

namespace zs {
namespace {

TEST(CpuTimeTest, ReadsTheLineOfProcStat) {
  // user nice system idle iowait irq softirq steal guest guest_nice
  const auto time = ParseCpuLine("cpu  100 20 30 1000 50 3 4 5 90 10", 100);
  ASSERT_TRUE(time.has_value());
  EXPECT_EQ(time->busy_us, (100 + 20 + 30 + 3 + 4 + 5) * 10'000);
  EXPECT_EQ(time->all_us, (100 + 20 + 30 + 1000 + 50 + 3 + 4 + 5) * 10'000);
}

TEST(CpuTimeTest, OtherTextIsUnknown) {
  for (const char* line :
       {"", "cpu", "cpu ", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3", "cpu a b",
        "cpu 1 2 3 4 5 6 7 -8", "cpu 99999999999999999999 1 1 1 1 1 1 1"}) {
    EXPECT_FALSE(ParseCpuLine(line, 100).has_value()) << line;
  }
  EXPECT_FALSE(ParseCpuLine("cpu 1 2 3 4 5 6 7 8", 0).has_value());
}

TEST(CpuTimeTest, ThisHostIsBusyPartOfTheTime) {
  const auto time = HostCpuTime();
  ASSERT_TRUE(time.has_value());
  EXPECT_GT(time->busy_us, 0);
  EXPECT_GE(time->all_us, time->busy_us);
}

}  // namespace
}  // namespace zs
