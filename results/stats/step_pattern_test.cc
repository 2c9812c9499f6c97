#include "results/stats/step_pattern.h"

#include <cmath>
#include <map>

#include "gtest/gtest.h"
#include "results/stats/synthetic.h"

namespace zs::results {
namespace {

using Series = std::vector<double>;
using Indexes = std::vector<size_t>;

const StepPattern* Find(const std::vector<StepPattern>& patterns,
                        PatternKind kind) {
  for (const StepPattern& pattern : patterns) {
    if (pattern.kind == kind) {
      return &pattern;
    }
  }
  return nullptr;
}

TEST(StepPatternTest, NoiseIsNoPattern) {
  std::map<PatternKind, int> found;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const double phi = 0.25 * (seed % 3);
    for (const auto& pattern :
         PatternsOf(SyntheticTimes(40, 100, phi, 0.01, seed))) {
      ++found[pattern.kind];
    }
  }
  EXPECT_LE(found[PatternKind::kOutliers], 30);
  EXPECT_EQ(found[PatternKind::kPeriodic], 0);
  EXPECT_LE(found[PatternKind::kDrift], 30);
  EXPECT_LE(found[PatternKind::kBimodal], 10);
}

TEST(StepPatternTest, SingleSlowStepsAreNamed) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Series times = SyntheticTimes(40, 100, 0.3, 0.01, seed);
    times[7] = 150;
    times[30] = 200;
    const auto patterns = PatternsOf(times);
    const StepPattern* outliers = Find(patterns, PatternKind::kOutliers);
    ASSERT_NE(outliers, nullptr) << seed;
    EXPECT_EQ(outliers->indexes, (Indexes{7, 30}));
    EXPECT_NEAR(outliers->size, 2, 0.05);
  }
}

TEST(StepPatternTest, PeriodicSpikesAreNamed) {
  Series times = SyntheticTimes(60, 100, 0.3, 0.01, 1);
  for (size_t i = 9; i < times.size(); i += 10) {
    times[i] *= 1.5;
  }
  const auto patterns = PatternsOf(times);
  const StepPattern* periodic = Find(patterns, PatternKind::kPeriodic);
  ASSERT_NE(periodic, nullptr);
  EXPECT_EQ(periodic->size, 10);
  EXPECT_EQ(periodic->indexes, (Indexes{9, 19, 29, 39, 49, 59}));
}

TEST(StepPatternTest, DriftIsNamed) {
  int found = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Series times = SyntheticTimes(60, 100, 0.3, 0.01, seed);
    for (size_t i = 0; i < times.size(); ++i) {
      times[i] *= 1 + 0.06 * static_cast<double>(i) / 59;
    }
    const auto patterns = PatternsOf(times);
    const StepPattern* drift = Find(patterns, PatternKind::kDrift);
    found += drift != nullptr && std::abs(drift->size - 0.06) < 0.02;
  }
  EXPECT_GE(found, 95);
}

TEST(StepPatternTest, TwoLevelsAreNamed) {
  Series times = SyntheticTimes(60, 100, 0.3, 0.005, 1);
  Indexes slow;
  for (size_t i = 0; i < times.size(); i += 3) {
    times[i] *= 1.1;
    slow.push_back(i);
  }
  const auto patterns = PatternsOf(times);
  const StepPattern* bimodal = Find(patterns, PatternKind::kBimodal);
  ASSERT_NE(bimodal, nullptr);
  EXPECT_EQ(bimodal->indexes, slow);
  EXPECT_NEAR(bimodal->size, 1.1, 0.01);
}

TEST(StepPatternTest, ShortAndBadSeriesHaveNone) {
  EXPECT_TRUE(PatternsOf(Series{}).empty());
  EXPECT_TRUE(PatternsOf(Series{1, 1, 1, 9}).empty());
  EXPECT_TRUE(PatternsOf(Series(20, 5.0)).empty());
  EXPECT_TRUE(PatternsOf(Series(20, 0.0)).empty());
  Series bad(20, 1.0);
  bad[3] = std::nan("");
  EXPECT_TRUE(PatternsOf(bad).empty());
}

}  // namespace
}  // namespace zs::results
