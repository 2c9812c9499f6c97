#include "results/stats/dependence.h"

#include "gtest/gtest.h"
#include "results/stats/synthetic.h"

namespace zs::results {
namespace {

using Series = std::vector<double>;

Series Times(int n, double median_ms, double phi, unsigned seed) {
  return SyntheticTimes(n, median_ms, phi, 0.02, seed);
}

TEST(DependenceTest, BlocksFollowDependence) {
  const Series white = Times(1000, 100, 0, 1);
  EXPECT_EQ(BlockLength(white), 10);  // the cube root of 1000
  EXPECT_GT(BlockLength(Times(1000, 100, 0.9, 1)), 20);
  EXPECT_EQ(BlockLength(Series{1, 2}), 1);
  EXPECT_LE(BlockLength(Times(12, 100, 0.95, 1)), 4);
  EXPECT_EQ(BlockLength(Series(27, 1.0)), 3);
}

TEST(DependenceTest, SpikesAreReplacedByWhatStandsBefore) {
  Series values;
  for (int i = 0; i < 20; ++i) {
    values.push_back(100 + i % 3);
  }
  Series spiked = values;
  spiked[7] = 300;
  const Series cleaned = WithoutSpikes(spiked);
  EXPECT_EQ(cleaned[7], values[6]);
  EXPECT_EQ(cleaned[8], values[8]);
  EXPECT_EQ(WithoutSpikes(Series(5, 1.0)), Series(5, 1.0));
}

// The sum of (1 - k / n) phi^k, by hand for n = 3.
TEST(DependenceTest, VarianceFactorIsThatOfAnAr1Mean) {
  EXPECT_DOUBLE_EQ(VarianceFactor(0, 10), 1);
  EXPECT_DOUBLE_EQ(VarianceFactor(0.5, 3),
                   1 + 2 * (0.5 * 2 / 3 + 0.25 * 1 / 3));
}

}  // namespace
}  // namespace zs::results
