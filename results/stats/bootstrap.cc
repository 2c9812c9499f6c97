#include "results/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "results/stats/dependence.h"
#include "results/stats/distributions.h"
#include "results/stats/levels.h"
#include "results/stats/resampler.h"
#include "results/stats/summary.h"

namespace zs::results {
namespace {

// Bounds the work for long series: resamples times values.
constexpr double kMaxDraws = 1e7;
constexpr int kMinResamples = 400;
// What a correlation that had to be estimated from n values may hide: this
// times its square over n^0.75 (docs/metrics.md has the calibration).
constexpr double kHidden = 11;
// Sides whose correlations differ by more standard errors have each its own.
constexpr double kUnlike = 2.5;
// Blocks that a run's level and correlation cost, and what a trend costs.
constexpr double kLostBlocks = 2.5;
constexpr double kTrendBlocks = 1;
// Ashman's D from which a series is taken to have two levels.
constexpr double kTwoLevels = 3.5;
// Degrees of freedom of what has no spread at all.
constexpr double kSure = 1e9;
// Repeats beyond this are no advice.
constexpr int kMostRuns = 1000;

bool IsUsable(Runs runs) {
  return !runs.empty() &&
         std::all_of(runs.begin(), runs.end(), [](const auto& run) {
           return run.size() >= static_cast<size_t>(kMinBootstrapSize) &&
                  std::all_of(run.begin(), run.end(), [](double value) {
                    return std::isfinite(value) && value > 0;
                  });
         });
}

double VarianceOf(std::span<const double> values) {
  const double mean = *Mean(values);
  double sum = 0;
  for (const double value : values) {
    sum += (value - mean) * (value - mean);
  }
  return sum / static_cast<double>(values.size() - 1);
}

// One run, ready to be drawn from.
struct Prepared {
  double center = 0;  // log-median
  Residuals residuals;
  std::vector<double> steady;  // residuals without spikes
  double shown = 0;            // correlation of neighbours among them
};

std::vector<Prepared> PrepareSide(Runs runs) {
  std::vector<Prepared> prepared;
  for (const std::vector<double>& run : runs) {
    Prepared& one = prepared.emplace_back();
    one.center = std::log(*Median(run));
    one.residuals = ResidualsOf(run);
    one.steady = WithoutSpikes(one.residuals.values);
    one.shown = ShownCorrelation(one.steady);
  }
  return prepared;
}

// How the values that count for a median depend on each other: correlation PHI
// of neighbours, on SHARE of the variance, estimated from VALUES.
struct Dependence {
  double phi = 0;
  double values = 0;
  double share = 1;
};

// The mean correlation that the runs of a side show, before it is corrected.
struct Shown {
  double mean = 0;
  double values = 0;  // in all runs
  double runs = 0;
};

Shown ShownBy(const std::vector<Prepared>& side) {
  Shown shown;
  shown.runs = static_cast<double>(side.size());
  for (const Prepared& run : side) {
    const double n = static_cast<double>(run.steady.size());
    shown.mean += n * run.shown;
    shown.values += n;
  }
  shown.mean /= shown.values;
  return shown;
}

// The dependence of A's runs. Both sides run on the same machine: where theirs
// are alike, one estimate from twice as many values stands for both.
Dependence DependenceOf(const Shown& a, const Shown& b) {
  const double n = a.values + b.values;
  const double pooled = (a.mean * a.values + b.mean * b.values) / n;
  const double error =
      std::sqrt((1 - pooled * pooled) * (1 / a.values + 1 / b.values));
  const bool unlike = std::abs(a.mean - b.mean) > kUnlike * error;
  return {.phi = unlike ? CorrectedCorrelation(a.mean, a.values / a.runs)
                        : CorrectedCorrelation(pooled, n / (a.runs + b.runs)),
          .values = n};
}

// How much wider a resample of N values in blocks of LENGTH must be than it is:
// what dependence beyond a block adds, and what a correlation that had to be
// estimated may hide.
double WideningFor(const Dependence& d, size_t n, size_t length) {
  const auto factor = [&](size_t values) {
    return 1 + d.share * (MedianFactor(d.phi, values) - 1);
  };
  const double lost = std::max(1.0, factor(n) / factor(length));
  const double hidden =
      1 + kHidden * d.share * d.phi * d.phi / std::pow(d.values, 0.75);
  return std::sqrt(lost) * hidden;
}

// Jumps between two levels hide that the noise on each is correlated, which is
// what the median lies in: then the level with most values counts too.
double Widening(std::span<const double> steady, const Dependence& dependence,
                size_t length) {
  const size_t n = steady.size();
  const double widening = WideningFor(dependence, n, length);
  const auto levels = TwoLevelsOf(steady);
  if (!levels || levels->separation < kTwoLevels) {
    return widening;
  }
  std::vector<double> within(steady.begin(), steady.end());
  for (double& value : within) {
    value -= value < levels->border ? levels->low : levels->high;
  }
  const double most = std::max(levels->low_share, 1 - levels->low_share);
  return std::max(widening, WideningFor({.phi = NeighbourCorrelation(within),
                                         .values = static_cast<double>(n),
                                         .share = most * most},
                                        n, length));
}

// How resamples of a run lie about its log-median.
struct RunCenter {
  std::vector<double> deviations;  // one for each resample
  double variance = 0;
  double freedom = 0;
};

RunCenter ResampleRun(const Prepared& run, const Dependence& dependence,
                      int resamples, std::mt19937_64& random) {
  const auto length = static_cast<size_t>(BlockLength(run.steady));
  const double widen = Widening(run.steady, dependence, length);
  RunCenter result;
  const double blocks =
      static_cast<double>(run.steady.size()) / static_cast<double>(length);
  result.freedom = std::max(
      blocks - kLostBlocks - (run.residuals.slope != 0 ? kTrendBlocks : 0.0),
      1e-9);
  Resampler resampler(run.residuals, length);
  for (int i = 0; i < resamples; ++i) {
    result.deviations.push_back(widen *
                                (resampler.DrawCenter(random) - run.center));
  }
  // About their own middle: resamples smooth the series, so that theirs is not
  // the run's median, and a difference would pass for more noise.
  const double middle = *Mean(result.deviations);
  for (double& deviation : result.deviations) {
    deviation -= middle;
  }
  result.variance = VarianceOf(result.deviations);
  return result;
}

// One side: the mean of its runs.
struct Side {
  double center = 0;
  std::vector<double> deviations;
  double variance = 0;      // of the center, by the steps within runs
  double freedom = 0;       // of that variance
  double run_squares = 0;   // of run centers about their mean
  double run_variance = 0;  // mean over the runs, by their steps
  double runs = 0;
};

Side ResampleSide(const std::vector<Prepared>& runs,
                  const Dependence& dependence, int resamples,
                  std::mt19937_64& random) {
  Side side;
  side.runs = static_cast<double>(runs.size());
  side.deviations.assign(static_cast<size_t>(resamples), 0);
  std::vector<double> centers;
  double parts = 0;
  for (const Prepared& run : runs) {
    const RunCenter one = ResampleRun(run, dependence, resamples, random);
    centers.push_back(run.center);
    for (size_t i = 0; i < side.deviations.size(); ++i) {
      side.deviations[i] += one.deviations[i] / side.runs;
    }
    side.run_variance += one.variance / side.runs;
    const double share = one.variance / (side.runs * side.runs);
    side.variance += share;
    parts += share * share / one.freedom;
  }
  side.center = *Mean(centers);
  for (const double center : centers) {
    side.run_squares += (center - side.center) * (center - side.center);
  }
  side.freedom = parts > 0 ? side.variance * side.variance / parts : kSure;
  return side;
}

// The error of the difference of two sides.
struct Error {
  double variance = 0;           // of the difference
  double run_step_variance = 0;  // of one run's median, by its steps
  double freedom = 0;
  std::optional<double> run_noise;
};

// Variance components: what runs differ by beyond their steps, and Welch and
// Satterthwaite's degrees of freedom of the sum. The spread of the runs counts
// in full there even where steps explain some of it, since few runs hide much.
Error ErrorOf(const Side& a, const Side& b) {
  Error e;
  e.variance = a.variance + b.variance;
  e.run_step_variance =
      (a.run_variance * a.runs + b.run_variance * b.runs) / (a.runs + b.runs);
  double parts =
      a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom;
  const double run_freedom = a.runs + b.runs - 2;
  if (run_freedom > 0) {
    const double seen = (a.run_squares + b.run_squares) / run_freedom;
    const double beyond = std::max(0.0, seen - e.run_step_variance);
    const double share = 1 / a.runs + 1 / b.runs;
    e.run_noise = std::sqrt(beyond);
    e.variance += beyond * share;
    parts += seen * share * seen * share / run_freedom;
  }
  e.freedom =
      parts > 0 ? std::max(1.0, e.variance * e.variance / parts) : kSure;
  return e;
}

// Of equal log-medians, by Student's distribution.
double PValue(double difference, const Error& error) {
  if (error.variance <= 0) {
    return difference != 0 ? 0 : 1;
  }
  return 2 * StudentCdf(-std::abs(difference) / std::sqrt(error.variance),
                        error.freedom);
}

int ResamplesFor(Runs a, Runs b, const BootstrapOptions& options) {
  double size = 0;
  for (const Runs side : {a, b}) {
    for (const std::vector<double>& run : side) {
      size += static_cast<double>(std::min(run.size(), kLongestDrawn));
    }
  }
  return std::min(options.resamples,
                  std::max(kMinResamples, static_cast<int>(kMaxDraws / size)));
}

std::vector<double> Differences(const Side& a, const Side& b) {
  std::vector<double> differences;
  for (size_t i = 0; i < a.deviations.size(); ++i) {
    differences.push_back(a.deviations[i] - b.deviations[i]);
  }
  return differences;
}

}  // namespace

std::optional<RatioInterval> MedianRatio(Runs numerator, Runs denominator,
                                         const BootstrapOptions& options) {
  if (!IsUsable(numerator) || !IsUsable(denominator)) {
    return std::nullopt;
  }
  const int resamples = ResamplesFor(numerator, denominator, options);
  std::mt19937_64 random(options.seed);
  const std::vector<Prepared> above = PrepareSide(numerator);
  const std::vector<Prepared> below = PrepareSide(denominator);
  const Shown shown_above = ShownBy(above);
  const Shown shown_below = ShownBy(below);
  const Side top = ResampleSide(above, DependenceOf(shown_above, shown_below),
                                resamples, random);
  const Side bottom = ResampleSide(
      below, DependenceOf(shown_below, shown_above), resamples, random);
  const Error error = ErrorOf(top, bottom);
  const std::vector<double> differences = Differences(top, bottom);
  const double df = error.freedom;
  const double tail =
      NormalCdf(std::sqrt((df + 1) / df) *
                StudentQuantile((1 - options.confidence) / 2, df));
  RatioInterval interval;
  // One run a side: exact where the medians are.
  interval.value = numerator.size() == 1 && denominator.size() == 1
                       ? *Median(numerator[0]) / *Median(denominator[0])
                       : std::exp(top.center - bottom.center);
  if (error.run_noise) {
    // Few runs leave tails that no resample reaches: Student's interval.
    const double half = -StudentQuantile((1 - options.confidence) / 2, df) *
                        std::sqrt(error.variance);
    interval.lo = interval.value * std::exp(-half);
    interval.hi = interval.value * std::exp(half);
  } else {
    const double lo = *Quantile(differences, tail);
    const double hi = *Quantile(differences, 1 - tail);
    interval.lo = interval.value * std::exp(std::min(0.0, lo));
    interval.hi = interval.value * std::exp(std::max(0.0, hi));
  }
  interval.p_value = PValue(top.center - bottom.center, error);
  interval.run_noise = error.run_noise;
  interval.step_variance = error.run_step_variance;
  return interval;
}

std::optional<int> RunsForHalfWidth(const RatioInterval& interval,
                                    double half_width) {
  const double noise = interval.run_noise.value_or(0);
  const double variance = interval.step_variance + noise * noise;
  if (!(half_width > 0)) {
    return std::nullopt;
  }
  for (int runs = 1; runs <= kMostRuns; ++runs) {
    // Where runs differ, their number alone says how sure the noise is.
    const double df = noise > 0 ? std::max(1, 2 * runs - 2) : kSure;
    const double half =
        -StudentQuantile(0.025, df) * std::sqrt(2 * variance / runs);
    if (half <= half_width) {
      return runs;
    }
  }
  return std::nullopt;
}

}  // namespace zs::results
