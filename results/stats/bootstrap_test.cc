#include "results/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "results/stats/synthetic.h"

namespace zs::results {
namespace {

using Series = std::vector<double>;

// One run a side.
std::optional<RatioInterval> MedianRatio(const Series& a, const Series& b,
                                         const BootstrapOptions& options) {
  return zs::results::MedianRatio(std::vector<Series>{a},
                                  std::vector<Series>{b}, options);
}

Series Times(int n, double median_ms, double phi, unsigned seed) {
  return SyntheticTimes(n, median_ms, phi, 0.02, seed);
}

TEST(BootstrapTest, ConstantsHaveNoDoubt) {
  const Series a(20, 30.0);
  const Series b(25, 20.0);
  const auto ratio = MedianRatio(a, b, {});
  ASSERT_TRUE(ratio.has_value());
  EXPECT_DOUBLE_EQ(ratio->value, 1.5);
  EXPECT_DOUBLE_EQ(ratio->lo, 1.5);
  EXPECT_DOUBLE_EQ(ratio->hi, 1.5);
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

// RUNS runs whose levels differ by a standard deviation of RUN_NOISE.
std::vector<Series> Repeated(int runs, double run_noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Series> all;
  for (int r = 0; r < runs; ++r) {
    all.push_back(Times(40, 100 * std::exp(run_noise * normal(random)), 0.3,
                        seed * 64 + static_cast<unsigned>(r)));
  }
  return all;
}

TEST(BootstrapTest, OneRunASideDoesNotKnowTheNoiseBetweenRuns) {
  const auto one =
      zs::results::MedianRatio(Repeated(1, 0, 1), Repeated(1, 0, 2), {});
  EXPECT_EQ(one->run_noise, std::nullopt);
  const auto three =
      zs::results::MedianRatio(Repeated(3, 0.05, 1), Repeated(3, 0.05, 2), {});
  EXPECT_GT(*three->run_noise, 0.01);
  EXPECT_LT(*three->run_noise, 0.15);
}

TEST(BootstrapTest, RunsThatDifferWidenTheInterval) {
  const auto calm =
      zs::results::MedianRatio(Repeated(3, 0, 3), Repeated(3, 0, 4), {});
  const auto noisy =
      zs::results::MedianRatio(Repeated(3, 0.05, 3), Repeated(3, 0.05, 4), {});
  EXPECT_GT(std::log(noisy->hi / noisy->lo), 2 * std::log(calm->hi / calm->lo));
}

// Runs that are each constant: only their levels say something, and the
// interval is Student's of the two samples of logarithms.
TEST(BootstrapTest, ConstantRunsGiveStudentsInterval) {
  const auto side = [](std::vector<double> logs) {
    std::vector<Series> runs;
    for (const double log : logs) {
      runs.emplace_back(10, 100 * std::exp(log));
    }
    return runs;
  };
  const auto ratio = zs::results::MedianRatio(side({0.0, 0.02, 0.04}),
                                              side({-0.01, 0.0, 0.01}), {});
  // Means 0.02 and 0; pooled variance (4e-4 + 1e-4) / 2; t(4, 0.975) = 2.7764.
  const double half = 2.776445105 * std::sqrt(2.5e-4 * 2 / 3);
  EXPECT_NEAR(std::log(ratio->value), 0.02, 1e-12);
  EXPECT_NEAR(std::log(ratio->lo), 0.02 - half, 1e-8);
  EXPECT_NEAR(std::log(ratio->hi), 0.02 + half, 1e-8);
  EXPECT_NEAR(*ratio->run_noise, std::sqrt(2.5e-4), 1e-12);
}

TEST(BootstrapTest, SaysHowManyRunsWouldDo) {
  RatioInterval interval;
  interval.step_variance = 1e-4;
  // 1.96 sqrt(2e-4 / n) <= 0.01: n = 7.7.
  EXPECT_EQ(RunsForHalfWidth(interval, 0.01), 8);
  EXPECT_EQ(RunsForHalfWidth(interval, 1), 1);
  interval.run_noise = 0.01;
  EXPECT_GT(*RunsForHalfWidth(interval, 0.01), 15);
  EXPECT_EQ(RunsForHalfWidth(interval, 0), std::nullopt);
  EXPECT_EQ(RunsForHalfWidth(interval, 1e-6), std::nullopt);
}

TEST(BootstrapTest, LongRunsAreDrawnInBatches) {
  const auto ratio =
      MedianRatio(Times(20000, 100, 0.3, 1), Times(20000, 99, 0.3, 2), {});
  EXPECT_LT(ratio->lo, 100.0 / 99);
  EXPECT_GT(ratio->hi, 100.0 / 99);
  EXPECT_LT(ratio->hi - ratio->lo, 0.003);
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
