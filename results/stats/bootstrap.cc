#include "results/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "results/stats/dependence.h"
#include "results/stats/distributions.h"
#include "results/stats/levels.h"
#include "results/stats/summary.h"
#include "results/stats/trend.h"

namespace zs::results {
namespace {

// Bounds the work for long series: resamples times values.
constexpr double kMaxDraws = 1e7;
constexpr int kMinResamples = 400;
// Series above this are drawn as medians of batches.
constexpr size_t kLongest = 4096;
constexpr size_t kBatches = 512;
// What a correlation that had to be estimated from n values may hide: this
// times its power of 3/2 over the root of n (docs/metrics.md has the
// calibration).
constexpr double kHidden = 1.2;
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

// An integer below BOUND, the same with every library (unlike the standard's
// distributions).
size_t Below(std::mt19937_64& random, size_t bound) {
  return static_cast<size_t>(random() % bound);
}

// The logarithms of a run, or of its batches, less their trend.
struct Residuals {
  std::vector<double> values;
  double slope = 0;      // a value
  bool batched = false;  // then their mean stands for the median
};

Residuals ResidualsOf(std::span<const double> run) {
  Residuals r;
  r.batched = run.size() > kLongest;
  const size_t batch = r.batched ? run.size() / kBatches : 1;
  for (size_t i = 0; i + batch <= run.size(); i += batch) {
    r.values.push_back(
        std::log(batch == 1 ? run[i] : *Median(run.subspan(i, batch))));
  }
  r.slope = TrendOf(r.values, kLikelyTrend).value_or(0);
  const double middle = static_cast<double>(r.values.size() - 1) / 2;
  for (size_t i = 0; i < r.values.size(); ++i) {
    r.values[i] -= r.slope * (static_cast<double>(i) - middle);
  }
  return r;
}

// Centers of resamples: blocks of LENGTH that wrap around the end, the trend
// put back.
class Resampler {
 public:
  Resampler(const Residuals& residuals, size_t length)
      : residuals_(residuals),
        length_(length),
        sample_(residuals.values.size()) {}

  double DrawCenter(std::mt19937_64& random) {
    const std::vector<double>& values = residuals_.values;
    const double middle = static_cast<double>(values.size() - 1) / 2;
    size_t filled = 0;
    while (filled < sample_.size()) {
      size_t from = Below(random, values.size());
      const size_t end = std::min(filled + length_, sample_.size());
      for (; filled < end; ++filled) {
        sample_[filled] =
            values[from] +
            residuals_.slope * (static_cast<double>(filled) - middle);
        from = from + 1 == values.size() ? 0 : from + 1;
      }
    }
    return residuals_.batched ? *Mean(sample_) : MedianOfSample();
  }

 private:
  double MedianOfSample() {
    const auto middle =
        sample_.begin() + static_cast<std::ptrdiff_t>(sample_.size() / 2);
    std::nth_element(sample_.begin(), middle, sample_.end());
    return sample_.size() % 2 == 1
               ? *middle
               : (*middle + *std::max_element(sample_.begin(), middle)) / 2;
  }

  const Residuals& residuals_;
  size_t length_;
  std::vector<double> sample_;
};

double VarianceOf(std::span<const double> values) {
  const double mean = *Mean(values);
  double sum = 0;
  for (const double value : values) {
    sum += (value - mean) * (value - mean);
  }
  return sum / static_cast<double>(values.size() - 1);
}

// How the values of a series that count for its median depend on each other:
// correlation PHI of neighbours, on SHARE of the variance.
struct Dependence {
  double phi = 0;
  double share = 1;
};

// How much wider a resample of N values in blocks of LENGTH must be than it is:
// what dependence beyond a block adds, and what a correlation that had to be
// estimated may hide.
double WideningFor(const Dependence& d, size_t n, size_t length) {
  const auto factor = [&](size_t values) {
    return 1 + d.share * (VarianceFactor(d.phi, values) - 1);
  };
  const double lost = std::max(1.0, factor(n) / factor(length));
  const double hidden =
      1 + kHidden * d.share * d.phi * std::sqrt(d.phi / static_cast<double>(n));
  return std::sqrt(lost) * hidden;
}

// Jumps between two levels hide that the noise on each is correlated, which is
// what the median lies in: then the level with most values counts too.
double Widening(std::span<const double> steady, size_t length) {
  const size_t n = steady.size();
  const double widening =
      WideningFor({.phi = NeighbourCorrelation(steady)}, n, length);
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
                                         .share = most * most},
                                        n, length));
}

// One run: its log-median and how resamples lie about it.
struct RunCenter {
  double center = 0;
  std::vector<double> deviations;  // one for each resample
  double variance = 0;
  double blocks = 0;
};

RunCenter ResampleRun(std::span<const double> run, int resamples,
                      std::mt19937_64& random) {
  const Residuals residuals = ResidualsOf(run);
  const std::vector<double> steady = WithoutSpikes(residuals.values);
  const auto length = static_cast<size_t>(BlockLength(steady));
  const double widen = Widening(steady, length);
  RunCenter result;
  result.center = std::log(*Median(run));
  result.blocks =
      static_cast<double>(steady.size()) / static_cast<double>(length);
  Resampler resampler(residuals, length);
  for (int i = 0; i < resamples; ++i) {
    result.deviations.push_back(widen *
                                (resampler.DrawCenter(random) - result.center));
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

// Two blocks are lost on each run: its level and its correlation.
Side ResampleSide(Runs runs, int resamples, std::mt19937_64& random) {
  Side side;
  side.runs = static_cast<double>(runs.size());
  side.deviations.assign(static_cast<size_t>(resamples), 0);
  std::vector<double> centers;
  double parts = 0;
  for (const std::vector<double>& run : runs) {
    const RunCenter one = ResampleRun(run, resamples, random);
    centers.push_back(one.center);
    for (size_t i = 0; i < side.deviations.size(); ++i) {
      side.deviations[i] += one.deviations[i] / side.runs;
    }
    side.run_variance += one.variance / side.runs;
    const double share = one.variance / (side.runs * side.runs);
    side.variance += share;
    parts += share * share / std::max(one.blocks - 2, 1e-9);
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
      size += static_cast<double>(std::min(run.size(), kLongest));
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
  const Side top = ResampleSide(numerator, resamples, random);
  const Side bottom = ResampleSide(denominator, resamples, random);
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
