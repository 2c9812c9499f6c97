#include "results/stats/summary.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace zs::results {
namespace {

using Sample = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// NumPy 1.24: median, percentile(.., 95), std(ddof=1)/mean.
TEST(SummaryTest, AgreesWithNumPy) {
  const Sample sample = {12.5, 11.0, 13.25, 10.75, 40.0, 11.5, 12.0};
  EXPECT_DOUBLE_EQ(Median(sample).value(), 12.0);
  EXPECT_NEAR(Quantile(sample, 0.95).value(), 31.97499999999998, 1e-12);
  EXPECT_NEAR(CoefficientOfVariation(sample).value(), 0.6735665279266919,
              1e-14);
  const Sample even = {1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(Median(even).value(), 2.5);
  EXPECT_NEAR(Quantile(even, 0.95).value(), 3.85, 1e-14);
  EXPECT_NEAR(CoefficientOfVariation(even).value(), 0.5163977794943222, 1e-14);
}

// Type 7: the quantile at k/(n-1) is the order statistic k.
TEST(SummaryTest, QuantilesHitOrderStatistics) {
  const Sample sample = {50, 10, 40, 20, 30};
  for (int k = 0; k < 5; ++k) {
    EXPECT_DOUBLE_EQ(Quantile(sample, k / 4.0).value(), 10.0 * (k + 1));
  }
}

TEST(SummaryTest, SingleValueIsItsOwnQuantile) {
  const Sample one = {7};
  EXPECT_EQ(Median(one), 7);
  EXPECT_EQ(Quantile(one, 0.95), 7);
  EXPECT_EQ(CoefficientOfVariation(one), std::nullopt);
}

TEST(SummaryTest, WhatCannotBeDescribedIsUnknown) {
  for (const Sample& sample : {Sample{}, Sample{1, kNan}, Sample{kInf, 1}}) {
    EXPECT_EQ(Median(sample), std::nullopt);
    EXPECT_EQ(Mean(sample), std::nullopt);
    EXPECT_EQ(CoefficientOfVariation(sample), std::nullopt);
    EXPECT_EQ(RatePerSecond(sample, sample), std::nullopt);
  }
  EXPECT_EQ(CoefficientOfVariation(Sample{0, 0}), std::nullopt);
  EXPECT_EQ(CoefficientOfVariation(Sample{-1, -2}), std::nullopt);
  EXPECT_EQ(Quantile(Sample{1, 2}, 1.5), std::nullopt);
  EXPECT_EQ(Quantile(Sample{1, 2}, kNan), std::nullopt);
}

TEST(SummaryTest, ConstantsDoNotVary) {
  EXPECT_EQ(CoefficientOfVariation(Sample{3, 3, 3}), 0);
}

// 100 tokens in 1 s and 100 in 3 s are 200 in 4 s: 50 a second, not the mean
// of 100 and 33.3.
TEST(SummaryTest, RatesAreAveragedThroughTime) {
  EXPECT_DOUBLE_EQ(RatePerSecond(Sample{100, 100}, Sample{1000, 3000}).value(),
                   50);
  EXPECT_EQ(RatePerSecond(Sample{100}, Sample{0}), std::nullopt);
  EXPECT_EQ(RatePerSecond(Sample{100}, Sample{1, 2}), std::nullopt);
}

}  // namespace
}  // namespace zs::results
