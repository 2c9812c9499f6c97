#include "results/stats/warmup.h"

#include <cmath>

#include "gtest/gtest.h"
#include "results/stats/synthetic.h"

namespace zs::results {
namespace {

using Series = std::vector<double>;

// Times of 100 ms, the first WARM of them FACTOR as long.
Series Warming(int n, int warm, double factor, double phi, unsigned seed) {
  Series times = SyntheticTimes(n, 100, phi, 0.02, seed);
  for (int i = 0; i < warm; ++i) {
    times[static_cast<size_t>(i)] *= factor;
  }
  return times;
}

TEST(WarmupTest, FindsTheStepDown) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    EXPECT_EQ(SteadyFrom(Warming(40, 5, 1.3, 0.3, seed)), 5u) << seed;
  }
}

TEST(WarmupTest, FindsTheSlowFirstStep) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto steady = SteadyFrom(Warming(30, 1, 10, 0, seed));
    ASSERT_TRUE(steady.has_value());
    EXPECT_GE(*steady, 1u);
    EXPECT_LE(*steady, 2u);  // segments have two values
  }
}

TEST(WarmupTest, FindsTheEndOfADecay) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Series times = SyntheticTimes(60, 100, 0.3, 0.01, seed);
    for (size_t i = 0; i < times.size(); ++i) {
      times[i] *= 1 + 0.5 * std::exp(-static_cast<double>(i) / 3);
    }
    const auto steady = SteadyFrom(times);
    ASSERT_TRUE(steady.has_value());
    EXPECT_GE(*steady, 4u);   // 13% too slow still
    EXPECT_LE(*steady, 20u);  // 0.06%
  }
}

TEST(WarmupTest, SteadySeriesLoseNothing) {
  int cut = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const double phi = 0.7 * (seed % 2);
    cut += SteadyFrom(SyntheticTimes(40, 100, phi, 0.02, seed)) != 0u;
  }
  EXPECT_LE(cut, 10);
  EXPECT_EQ(SteadyFrom(Series(30, 5.0)), 0u);
}

TEST(WarmupTest, WhatGetsSlowerIsNotWarmup) {
  Series times = SyntheticTimes(40, 100, 0, 0.02, 1);
  for (size_t i = 20; i < times.size(); ++i) {
    times[i] *= 1.5;
  }
  EXPECT_EQ(SteadyFrom(times), 0u);
  EXPECT_EQ(ChangePoints(times).size(), 2u);
  EXPECT_EQ(ChangePoints(times)[1], 20u);
}

TEST(WarmupTest, NoSteadyPartIsUnknown) {
  EXPECT_EQ(SteadyFrom(Warming(40, 30, 1.5, 0, 1)), std::nullopt);
  EXPECT_EQ(SteadyFrom(Series{}), std::nullopt);
  EXPECT_EQ(SteadyFrom(Series{1, 2, std::nan("")}), std::nullopt);
  EXPECT_EQ(SteadyFrom(Series{1, 0, 1}), std::nullopt);
  EXPECT_EQ(SteadyFrom(Series{1, 2}), 0u);
}

}  // namespace
}  // namespace zs::results
