#include "results/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "results/stats/distributions.h"
#include "results/stats/summary.h"

namespace zs::results {
namespace {

// Bounds the work for very long series: resamples times values.
constexpr double kMaxDraws = 4e7;
constexpr int kMinResamples = 400;

bool IsUsable(std::span<const double> series) {
  return series.size() >= static_cast<size_t>(kMinBootstrapSize) &&
         std::all_of(series.begin(), series.end(), [](double value) {
           return std::isfinite(value) && value > 0;
         });
}

// An integer below BOUND, the same with every library (unlike the standard's
// distributions).
size_t Below(std::mt19937_64& random, size_t bound) {
  return static_cast<size_t>(random() % bound);
}

// SERIES' autocovariances R(0) .. R(LAGS).
std::vector<double> Autocovariances(std::span<const double> series,
                                    size_t lags) {
  const size_t n = series.size();
  const double mean = Mean(series).value_or(0);
  std::vector<double> r;
  for (size_t k = 0; k <= lags; ++k) {
    double sum = 0;
    for (size_t i = 0; i + k < n; ++i) {
      sum += (series[i] - mean) * (series[i + k] - mean);
    }
    r.push_back(sum / static_cast<double>(n));
  }
  return r;
}

// The lag after which KN correlations in a row are negligible (section 3.2 of
// the paper).
size_t LastLag(const std::vector<double>& r, size_t kn, size_t max_lag,
               double n) {
  const double threshold = 2 * std::sqrt(std::log10(n) / n) * r[0];
  size_t last = 0;  // the largest lag that is not negligible
  for (size_t k = 1; k <= max_lag; ++k) {
    if (std::abs(r[k]) >= threshold) {
      last = k;
    } else if (k - last >= kn) {
      break;
    }
  }
  return last;
}

// Politis and White's estimate for the circular bootstrap, before bounds.
double EstimateLength(std::span<const double> series) {
  const double n = static_cast<double>(series.size());
  const auto kn =
      static_cast<size_t>(std::max(5.0, std::ceil(std::sqrt(std::log10(n)))));
  const size_t max_lag = std::min(
      series.size() - 1, static_cast<size_t>(std::ceil(std::sqrt(n))) + kn);
  const std::vector<double> r = Autocovariances(series, max_lag);
  const size_t last = LastLag(r, kn, max_lag, n);
  if (r[0] <= 0 || last == 0) {
    return 1;
  }
  // Flat-top window: 1 up to half of the width, then down to 0.
  const size_t width = std::min(2 * last, max_lag);
  double g = 0;
  double spectrum = r[0];
  for (size_t k = 1; k <= width; ++k) {
    const double t = static_cast<double>(k) / static_cast<double>(width);
    const double weight = t <= 0.5 ? 1 : 2 * (1 - t);
    g += 2 * weight * static_cast<double>(k) * r[k];
    spectrum += 2 * weight * r[k];
  }
  const double d = 4.0 / 3.0 * spectrum * spectrum;
  return d > 0 ? std::cbrt(2 * g * g / d * n) : 1;
}

// Medians of resampled SERIES, blocks of LENGTH that wrap around its end.
class Resampler {
 public:
  Resampler(std::span<const double> series, size_t length)
      : series_(series), length_(length), sample_(series.size()) {}

  double DrawMedian(std::mt19937_64& random) {
    size_t filled = 0;
    while (filled < sample_.size()) {
      size_t from = Below(random, series_.size());
      const size_t end = std::min(filled + length_, sample_.size());
      for (; filled < end; ++filled) {
        sample_[filled] = series_[from];
        from = from + 1 == series_.size() ? 0 : from + 1;
      }
    }
    const auto middle =
        sample_.begin() + static_cast<std::ptrdiff_t>(sample_.size() / 2);
    std::nth_element(sample_.begin(), middle, sample_.end());
    return sample_.size() % 2 == 1
               ? *middle
               : (*middle + *std::max_element(sample_.begin(), middle)) / 2;
  }

 private:
  std::span<const double> series_;
  size_t length_;
  std::vector<double> sample_;
};

// The correlation of neighbours in SERIES, corrected for bias.
double NeighbourCorrelation(std::span<const double> series) {
  const std::vector<double> r = Autocovariances(series, 1);
  if (r[0] <= 0) {
    return 0;
  }
  const double raw = r[1] / r[0];
  const double n = static_cast<double>(series.size());
  return std::clamp(raw + (1 + 4 * raw) / n, 0.0, 0.95);
}

// The variance of a mean of LENGTH values of an AR(1) process with correlation
// PHI, times LENGTH, over that of one value.
double VarianceFactor(double phi, size_t length) {
  double factor = 1;
  double power = 1;
  for (size_t lag = 1; lag < length; ++lag) {
    power *= phi;
    factor += 2 * power *
              (1 - static_cast<double>(lag) / static_cast<double>(length));
  }
  return factor;
}

// One side: its log-median and how resamples lie about it.
struct Side {
  double center = 0;
  std::vector<double> deviations;  // widened; one for each resample
  double variance = 0;
  double blocks = 0;
};

Side ResampleSide(std::span<const double> series, int resamples,
                  std::mt19937_64& random) {
  const auto length = static_cast<size_t>(BlockLength(series));
  const double phi = NeighbourCorrelation(series);
  const double widen = std::sqrt(std::max(
      1.0, VarianceFactor(phi, series.size()) / VarianceFactor(phi, length)));
  Side side;
  side.center = std::log(*Median(series));
  side.blocks =
      static_cast<double>(series.size()) / static_cast<double>(length);
  Resampler resampler(series, length);
  for (int i = 0; i < resamples; ++i) {
    side.deviations.push_back(
        widen * (std::log(resampler.DrawMedian(random)) - side.center));
  }
  const double mean = *Mean(side.deviations);
  for (const double d : side.deviations) {
    side.variance += (d - mean) * (d - mean) / (resamples - 1);
  }
  return side;
}

// Welch and Satterthwaite's, over blocks; at least 1. Two are lost on each
// side: its level and its correlation.
double DegreesOfFreedom(const Side& a, const Side& b) {
  const double sum = a.variance + b.variance;
  const double parts = a.variance * a.variance / (a.blocks - 2) +
                       b.variance * b.variance / (b.blocks - 2);
  return parts > 0 ? std::max(1.0, sum * sum / parts) : a.blocks + b.blocks - 4;
}

// Of equal log-medians, by Student's distribution.
double PValue(const Side& a, const Side& b, double df) {
  const double error = std::sqrt(a.variance + b.variance);
  const double difference = std::abs(a.center - b.center);
  if (error <= 0) {
    return difference > 0 ? 0 : 1;
  }
  return 2 * StudentCdf(-difference / error, df);
}

}  // namespace

int BlockLength(std::span<const double> series) {
  const double n = static_cast<double>(series.size());
  if (series.size() < 3) {
    return 1;
  }
  const double longest = std::floor(std::min(3 * std::sqrt(n), n / 3));
  const double estimate =
      std::ceil(std::max(EstimateLength(series), std::cbrt(n)) - 1e-9);
  return static_cast<int>(std::clamp(estimate, 1.0, longest));
}

std::optional<RatioInterval> MedianRatio(std::span<const double> numerator,
                                         std::span<const double> denominator,
                                         const BootstrapOptions& options) {
  if (!IsUsable(numerator) || !IsUsable(denominator)) {
    return std::nullopt;
  }
  const double size =
      static_cast<double>(numerator.size() + denominator.size());
  const int resamples =
      std::min(options.resamples,
               std::max(kMinResamples, static_cast<int>(kMaxDraws / size)));
  std::mt19937_64 random(options.seed);
  const Side top = ResampleSide(numerator, resamples, random);
  const Side bottom = ResampleSide(denominator, resamples, random);
  std::vector<double> differences;
  for (size_t i = 0; i < top.deviations.size(); ++i) {
    differences.push_back(top.deviations[i] - bottom.deviations[i]);
  }
  const double df = DegreesOfFreedom(top, bottom);
  const double tail =
      NormalCdf(std::sqrt((df + 1) / df) *
                StudentQuantile((1 - options.confidence) / 2, df));
  RatioInterval interval;
  interval.value = *Median(numerator) / *Median(denominator);
  interval.lo =
      interval.value * std::exp(std::min(0.0, *Quantile(differences, tail)));
  interval.hi = interval.value *
                std::exp(std::max(0.0, *Quantile(differences, 1 - tail)));
  interval.p_value = PValue(top, bottom, df);
  return interval;
}

}  // namespace zs::results
