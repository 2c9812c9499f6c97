// What the words promise, over sweeps with known truth, with seeds that nothing
// was calibrated with. coverage_bench prints more cases with 1,000 sweeps each.
#include "results/stats/coverage.h"

#include <cmath>

#include "gtest/gtest.h"

namespace zs::results {
namespace {

constexpr int kTries = 400;

// 93 to 97%, and what chance adds to 400 tries (three standard errors).
double Chance(double share) {
  return 3 * std::sqrt(share * (1 - share) / kTries);
}
const int kFewest = static_cast<int>(kTries * (0.93 - Chance(0.93)));
const int kMost = static_cast<int>(kTries * (0.97 + Chance(0.97)));
const int kMostFalse = static_cast<int>(kTries * (0.05 + Chance(0.05)));

struct Case {
  const char* name;
  CoverageCase how;
};

const Case kCases[] = {
    {"independent", {.phi = 0}},
    {"correlated", {.phi = 0.5}},
    {"strongly correlated", {.phi = 0.7}},
    {"long", {.steps = 100, .phi = 0.5}},
    {"one percent", {.phi = 0.5, .ratio = 1.01}},
    {"drift", {.kind = SyntheticKind::kDrift, .phi = 0.5}},
    {"spikes", {.kind = SyntheticKind::kSpikes, .phi = 0.5}},
    {"bimodal", {.kind = SyntheticKind::kBimodal, .phi = 0.3}},
    {"repeats", {.phi = 0.3, .runs = 3, .run_noise = 0.02}},
    {"unlike sides", {.phi = 0.7, .baseline_phi = 0}},
};

TEST(CoverageTest, IntervalsCoverTheTruth) {
  for (const Case& c : kCases) {
    const Coverage counts = CoverageOf(c.how, kTries, kFirstUnseen);
    EXPECT_EQ(counts.tries, kTries) << c.name;
    EXPECT_GE(counts.covered, kFewest) << c.name;
    EXPECT_LE(counts.covered, kMost) << c.name;
    if (c.how.ratio == 1) {
      EXPECT_LE(counts.faster_or_slower, kMostFalse) << c.name;
    }
  }
}

TEST(CoverageTest, FivePercentAreFound) {
  for (const double phi : {0.0, 0.3, 0.5}) {
    EXPECT_GE(
        CoverageOf({.phi = phi, .ratio = 1.05}, kTries, kFirstUnseen).faster,
        kTries * 95 / 100)
        << phi;
  }
}

// Neighbours that correlate by 0.7 leave 40 steps worth ten: the median of
// both sides deviates by sqrt(2 * 0.02^2 * pi/2 * F / 40), F = MedianFactor,
// and a test that is told so finds 99%. Ours has to estimate F from the same
// 40 steps: most of the cases, and no more false words for it (above).
TEST(CoverageTest, StrongCorrelationCostsWhatMustBeEstimated) {
  const Coverage counts =
      CoverageOf({.phi = 0.7, .ratio = 1.05}, kTries, kFirstUnseen);
  EXPECT_GE(counts.oracle_faster, kTries * 97 / 100);
  EXPECT_GE(counts.faster, kTries * 80 / 100);
  EXPECT_LE(counts.faster, counts.oracle_faster);
  EXPECT_GE(
      CoverageOf({.steps = 60, .phi = 0.7, .ratio = 1.05}, kTries, kFirstUnseen)
          .faster,
      kTries * 95 / 100);
}

}  // namespace
}  // namespace zs::results
