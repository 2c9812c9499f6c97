#include "results/stats/dependence.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "results/stats/summary.h"

namespace zs::results {
namespace {

constexpr double kFarDeviations = 3;
constexpr double kMostCorrelation = 0.95;
constexpr double kFewestBlocks = 10;
constexpr double kMostCubeRoots = 1.5;

// The lag after which KN correlations in a row are negligible (section 3.2 of
// Politis and White).
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

}  // namespace

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

std::vector<double> WithoutSpikes(std::span<const double> series) {
  std::vector<double> values(series.begin(), series.end());
  const double median = Median(series).value_or(0);
  std::vector<double> deviations;
  for (const double value : series) {
    deviations.push_back(std::abs(value - median));
  }
  const double far = kFarDeviations * 1.4826 * Median(deviations).value_or(0);
  double last = median;
  for (double& value : values) {
    value = far > 0 && std::abs(value - median) > far ? last : value;
    last = value;
  }
  return values;
}

double ShownCorrelation(std::span<const double> series) {
  const std::vector<double> r = Autocovariances(series, 1);
  return r[0] > 0 ? r[1] / r[0] : 0;
}

double CorrectedCorrelation(double shown, double size) {
  return std::clamp(shown + (1 + 4 * shown) / size, 0.0, kMostCorrelation);
}

double NeighbourCorrelation(std::span<const double> series) {
  const std::vector<double> r = Autocovariances(series, 1);
  return r[0] > 0 ? CorrectedCorrelation(r[1] / r[0],
                                         static_cast<double>(series.size()))
                  : 0;
}

double MedianFactor(double phi, size_t length) {
  double factor = 1;
  double power = 1;
  for (size_t lag = 1; lag < length && power > 1e-9; ++lag) {
    power *= phi;
    factor += 4 / std::numbers::pi * std::asin(power) *
              (1 - static_cast<double>(lag) / static_cast<double>(length));
  }
  return factor;
}

int BlockLength(std::span<const double> series) {
  const double n = static_cast<double>(series.size());
  if (series.size() < 3) {
    return 1;
  }
  const double longest = std::min(
      std::floor(std::min(3 * std::sqrt(n), n / 3)),
      std::ceil(std::max(kMostCubeRoots * std::cbrt(n), n / kFewestBlocks)));
  const double estimate =
      std::ceil(std::max(EstimateLength(series), std::cbrt(n)) - 1e-9);
  return static_cast<int>(std::clamp(estimate, 1.0, longest));
}

}  // namespace zs::results
