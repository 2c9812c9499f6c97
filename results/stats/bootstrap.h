// How sure a ratio of two medians is, when neighbouring values depend on each
// other (as step times do: caches, clocks and collectives have a memory) and
// whole runs differ by more than their steps explain.
//
// Within a run: circular block bootstrap of the median of the logarithms,
// Politis and Romano, "A circular block-resampling procedure for stationary
// data" (1992); Künsch, "The jackknife and the bootstrap for general stationary
// observations", Annals of Statistics 17 (1989). A trend is taken out before
// drawing and put back at its place, so that it does not pass for noise.
// Of runs above 4,096 steps batch medians are drawn instead (Schmeiser, "Batch
// size effects in the analysis of simulation output", Operations Research 30,
// 1982).
//
// Between runs: the variance of run medians as the highest level of a nested
// design (Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM
// 2013), pooled over both sides, since it is the cluster's.
//
// Corrections for short series, without which 95% intervals of 40 steps cover
// the truth in 85% of cases at a correlation of 0.5 (coverage_test holds them
// to 93..97%): docs/metrics.md has the formulas.
#ifndef RESULTS_STATS_BOOTSTRAP_H_
#define RESULTS_STATS_BOOTSTRAP_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace zs::results {

// Below this no distribution-free interval of a median at 95% exists:
// 1 - 2 / 2^n is 0.94 for n = 5 and 0.97 for n = 6.
inline constexpr int kMinBootstrapSize = 6;

struct BootstrapOptions {
  int resamples = 2000;
  double confidence = 0.95;
  uint64_t seed = 1;
};

struct RatioInterval {
  double value = 0;  // median of the numerator over that of the denominator;
                     // of several runs the geometric mean of their medians
  double lo = 0;
  double hi = 0;
  double p_value = 1;  // two-sided, of the hypothesis that the ratio is 1
  // Standard deviation of the logarithm between runs beyond what the steps
  // within them explain; nothing where no side has two runs.
  std::optional<double> run_noise;
  double step_variance = 0;  // of a run's log-median, as its steps explain it
};

// The runs of one side: step times, each in the order of time.
using Runs = std::span<const std::vector<double>>;

// The interval of the ratio of two independent sides. The same input gives the
// same interval. Nothing where a side has no run, or a run has fewer than
// kMinBootstrapSize values or one that is not positive and finite.
std::optional<RatioInterval> MedianRatio(Runs numerator, Runs denominator,
                                         const BootstrapOptions& options);

// How many runs a side would give a 95% interval of +-HALF_WIDTH (of the
// logarithm: 0.02 is 2%), if things stay as INTERVAL found them; nothing where
// a thousand would not.
std::optional<int> RunsForHalfWidth(const RatioInterval& interval,
                                    double half_width);

}  // namespace zs::results

#endif  // RESULTS_STATS_BOOTSTRAP_H_
