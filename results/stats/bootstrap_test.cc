#include "results/stats/bootstrap.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "results/stats/synthetic.h"

namespace zs::results {
namespace {

using Series = std::vector<double>;

Series Times(int n, double median_ms, double phi, unsigned seed) {
  return SyntheticTimes(n, median_ms, phi, 0.02, seed);
}

TEST(BootstrapTest, ConstantsHaveNoDoubt) {
  const Series a(20, 30.0);
  const Series b(25, 20.0);
  const auto ratio = MedianRatio(a, b, {});
  ASSERT_TRUE(ratio.has_value());
  EXPECT_EQ(ratio->value, 1.5);
  EXPECT_EQ(ratio->lo, 1.5);
  EXPECT_EQ(ratio->hi, 1.5);
}

TEST(BootstrapTest, SameInputGivesTheSameInterval) {
  const Series a = Times(40, 100, 0.3, 1);
  const Series b = Times(40, 97, 0.3, 2);
  const auto first = MedianRatio(a, b, {});
  const auto second = MedianRatio(a, b, {});
  EXPECT_EQ(first->lo, second->lo);
  EXPECT_EQ(first->hi, second->hi);
  BootstrapOptions options;
  options.seed = 2;
  EXPECT_NE(first->lo, MedianRatio(a, b, options)->lo);
}

TEST(BootstrapTest, IntervalHoldsItsValueAndScales) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const int n = 6 + static_cast<int>(seed);
    const Series a = Times(n, 100, 0.4, seed);
    const Series b = Times(n, 100, 0.4, seed + 1000);
    const auto ratio = MedianRatio(a, b, {});
    ASSERT_TRUE(ratio.has_value());
    EXPECT_LE(ratio->lo, ratio->value);
    EXPECT_GE(ratio->hi, ratio->value);
    Series twice = a;
    for (double& value : twice) {
      value *= 2;  // exact
    }
    const auto scaled = MedianRatio(twice, b, {});
    EXPECT_NEAR(scaled->lo, 2 * ratio->lo, 1e-9);
    EXPECT_NEAR(scaled->hi, 2 * ratio->hi, 1e-9);
  }
}

TEST(BootstrapTest, MoreStepsMakeItSurer) {
  const auto width = [](int n) {
    const auto ratio =
        MedianRatio(Times(n, 100, 0, 1), Times(n, 100, 0, 2), {});
    return ratio->hi - ratio->lo;
  };
  EXPECT_GT(width(20), width(200));
  EXPECT_GT(width(200), width(2000));
}

// The same values in another order: dependence widens the interval.
TEST(BootstrapTest, DependenceMakesItLessSure) {
  Series dependent = Times(200, 100, 0.9, 3);
  Series shuffled = dependent;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(5));
  const Series other(200, 100.0);
  const auto wide = MedianRatio(dependent, other, {});
  const auto narrow = MedianRatio(shuffled, other, {});
  EXPECT_EQ(wide->value, narrow->value);
  EXPECT_GT(wide->hi - wide->lo, 1.5 * (narrow->hi - narrow->lo));
}

TEST(BootstrapTest, BlocksFollowDependence) {
  const Series white = Times(1000, 100, 0, 1);
  EXPECT_EQ(BlockLength(white), 10);  // the cube root of 1000
  EXPECT_GT(BlockLength(Times(1000, 100, 0.9, 1)), 20);
  EXPECT_EQ(BlockLength(Series{1, 2}), 1);
  EXPECT_LE(BlockLength(Times(12, 100, 0.95, 1)), 4);
  EXPECT_EQ(BlockLength(Series(27, 1.0)), 3);
}

TEST(BootstrapTest, TooLittleOrBadInputIsUnknown) {
  const Series good = Times(20, 100, 0, 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Series& bad :
       {Series{}, Series{1, 2, 3, 4, 5}, Series{1, 2, 3, 4, 5, nan},
        Series{1, 2, 3, 4, 5, 0}, Series{1, 2, 3, 4, 5, -6},
        Series{1, 2, 3, 4, 5, std::numeric_limits<double>::infinity()}}) {
    EXPECT_EQ(MedianRatio(bad, good, {}).has_value(), false);
    EXPECT_EQ(MedianRatio(good, bad, {}).has_value(), false);
  }
}

TEST(BootstrapTest, PValuesFollowTheDifference) {
  const Series a = Times(40, 100, 0.3, 1);
  EXPECT_EQ(MedianRatio(a, a, {})->p_value, 1);
  EXPECT_LT(MedianRatio(a, Times(40, 90, 0.3, 2), {})->p_value, 1e-4);
  EXPECT_EQ(MedianRatio(Series(9, 2.0), Series(9, 1.0), {})->p_value, 0);
  EXPECT_EQ(MedianRatio(Series(9, 2.0), Series(9, 2.0), {})->p_value, 1);
}

}  // namespace
}  // namespace zs::results
