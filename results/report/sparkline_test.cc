#include "results/report/sparkline.h"

#include <cmath>

#include "gtest/gtest.h"

namespace zs::results {
namespace {

TEST(SparklineTest, GoesFromLowestToHighest) {
  EXPECT_EQ(Sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 8), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(Sparkline({8, 1}, 40), "█▁");
}

TEST(SparklineTest, ASpikeAmongMany) {
  std::vector<double> values(1000, 1);
  values[517] = 9;
  EXPECT_EQ(Sparkline(values, 10), "▁▁▁▁▁█▁▁▁▁");
}

TEST(SparklineTest, NothingToDraw) {
  EXPECT_EQ(Sparkline({}, 10), "");
  EXPECT_EQ(Sparkline({NAN}, 10), "");
  EXPECT_EQ(Sparkline({1}, 0), "");
  EXPECT_EQ(Sparkline({2, 2, 2}, 10), "▁▁▁");
}

}  // namespace
}  // namespace zs::results
