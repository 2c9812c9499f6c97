#include "results/stats/dependence.h"

#include <cmath>

#include "gtest/gtest.h"
#include "results/stats/summary.h"
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
  EXPECT_LE(BlockLength(Times(100, 100, 0.95, 1)), 10);  // ten blocks
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

// Signs of normal values that correlate by 1/2 correlate by 1/3 (asin 1/2 is
// pi/6); the sum of (1 - k/n) of them by hand for n = 2.
TEST(DependenceTest, MedianFactorIsThatOfSigns) {
  EXPECT_DOUBLE_EQ(MedianFactor(0, 10), 1);
  EXPECT_DOUBLE_EQ(MedianFactor(0.5, 2), 1 + 2 * (1.0 / 3) / 2);
  EXPECT_LT(MedianFactor(0.7, 1000), 1.7 / 0.3);  // that of a mean
}

// The medians of 4,000 AR(1) series of 101 values; a variance of so many is
// right within 2.2% (one standard error).
TEST(DependenceTest, MedianFactorIsWhatSeriesShow) {
  double spread[2] = {0, 0};
  for (unsigned seed = 0; seed < 4000; ++seed) {
    for (const int correlated : {0, 1}) {
      const double log_median = std::log(
          *Median(SyntheticTimes(101, 1, 0.7 * correlated, 0.02, seed)));
      spread[correlated] += log_median * log_median;
    }
  }
  EXPECT_NEAR(spread[1] / spread[0] / MedianFactor(0.7, 101), 1, 0.12);
}

TEST(DependenceTest, TheBiasOfShortSeriesIsTakenOut) {
  EXPECT_DOUBLE_EQ(CorrectedCorrelation(0.5, 40), 0.5 + 3.0 / 40);
  EXPECT_EQ(CorrectedCorrelation(-0.5, 40), 0);
  EXPECT_EQ(CorrectedCorrelation(0.94, 20), 0.95);
  EXPECT_EQ(ShownCorrelation(Series(9, 1.0)), 0);
}

}  // namespace
}  // namespace zs::results
