#include "results/stats/coverage.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "results/stats/bootstrap.h"
#include "results/stats/summary.h"
#include "results/stats/verdict.h"

namespace zs::results {
namespace {

constexpr double kNoise = 0.02;
constexpr double kMargin = 0.01;
constexpr double kTwoSided = 1.959964;  // of the normal distribution at 5%
constexpr int kResamples = 400;

std::vector<std::vector<double>> SideOf(const CoverageCase& c, double median_ms,
                                        unsigned seed) {
  std::mt19937 random(seed ^ 0x9e3779b9U);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> runs;
  for (int run = 0; run < c.runs; ++run) {
    const double level = c.run_noise > 0 ? c.run_noise * normal(random) : 0;
    runs.push_back(
        SyntheticTimes(c.steps, median_ms * std::exp(level), c.phi, kNoise,
                       seed + static_cast<unsigned>(run) * 1000003U, c.kind));
  }
  return runs;
}

// How many of LOGS lie further above 0 than what 5% of their spread explains.
int FarAbove(const std::vector<double>& logs) {
  const double mean = *Mean(logs);
  double squares = 0;
  for (const double value : logs) {
    squares += (value - mean) * (value - mean);
  }
  const double far =
      kTwoSided * std::sqrt(squares / static_cast<double>(logs.size() - 1));
  return static_cast<int>(std::count_if(
      logs.begin(), logs.end(), [&](double value) { return value > far; }));
}

}  // namespace

Coverage CoverageOf(const CoverageCase& c, int tries, unsigned first_seed) {
  Coverage counts;
  CoverageCase baseline = c;
  baseline.phi = c.baseline_phi < 0 ? c.phi : c.baseline_phi;
  std::vector<double> logs;
  BootstrapOptions options;
  options.resamples = kResamples;
  for (int i = 0; i < tries; ++i) {
    const unsigned seed = first_seed + 2 * static_cast<unsigned>(i);
    const auto ratio = MedianRatio(SideOf(baseline, 100, seed),
                                   SideOf(c, 100 / c.ratio, seed + 1), options);
    if (!ratio) {
      continue;
    }
    ++counts.tries;
    logs.push_back(std::log(ratio->value));
    const auto word = SpeedWord(ratio->lo, ratio->hi, kMargin);
    const bool sure = ratio->p_value <= kWordLevel;
    counts.covered += ratio->lo <= c.ratio && c.ratio <= ratio->hi ? 1 : 0;
    counts.faster += sure && word == "FASTER" ? 1 : 0;
    counts.faster_or_slower +=
        sure && (word == "FASTER" || word == "SLOWER") ? 1 : 0;
  }
  counts.oracle_faster = logs.size() > 1 ? FarAbove(logs) : 0;
  return counts;
}

}  // namespace zs::results
