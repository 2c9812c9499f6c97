// What the words promise, over sweeps with known truth. coverage_bench prints
// more cases with 1,000 sweeps each.
#include "results/stats/coverage.h"

#include "gtest/gtest.h"

namespace zs::results {
namespace {

constexpr int kTries = 400;
// 93 to 97%, and what chance adds to 400 tries (a standard error of 1.1%).
constexpr int kFewest = kTries * 92 / 100;
constexpr int kMost = kTries * 98 / 100;
constexpr int kMostFalse = kTries * 7 / 100;

struct Case {
  const char* name;
  CoverageCase how;
};

const Case kCases[] = {
    {"independent", {.phi = 0}},
    {"correlated", {.phi = 0.5}},
    {"strongly correlated", {.phi = 0.7}},
    {"one percent", {.phi = 0.5, .ratio = 1.01}},
    {"drift", {.kind = SyntheticKind::kDrift, .phi = 0.5}},
    {"spikes", {.kind = SyntheticKind::kSpikes, .phi = 0.5}},
    {"bimodal", {.kind = SyntheticKind::kBimodal, .phi = 0.3}},
    {"repeats", {.phi = 0.3, .runs = 3, .run_noise = 0.02}},
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
    EXPECT_GE(CoverageOf({.phi = phi, .ratio = 1.05}, kTries, kFirstUnseen).faster,
              kTries * 95 / 100)
        << phi;
  }
}

}  // namespace
}  // namespace zs::results
