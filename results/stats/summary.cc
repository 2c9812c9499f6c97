#include "results/stats/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace zs::results {
namespace {

bool IsUsable(std::span<const double> sample) {
  return !sample.empty() &&
         std::all_of(sample.begin(), sample.end(),
                     [](double value) { return std::isfinite(value); });
}

double SumOf(std::span<const double> sample) {
  return std::accumulate(sample.begin(), sample.end(), 0.0);
}

}  // namespace

std::optional<double> Quantile(std::span<const double> sample, double p) {
  if (!IsUsable(sample) || !(p >= 0 && p <= 1)) {
    return std::nullopt;
  }
  std::vector<double> sorted(sample.begin(), sample.end());
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double fraction = place - static_cast<double>(below);
  if (fraction == 0) {
    return *middle;
  }
  const double above = *std::min_element(middle + 1, sorted.end());
  return *middle + fraction * (above - *middle);
}

std::optional<double> Median(std::span<const double> sample) {
  return Quantile(sample, 0.5);
}

std::optional<double> Mean(std::span<const double> sample) {
  if (!IsUsable(sample)) {
    return std::nullopt;
  }
  return SumOf(sample) / static_cast<double>(sample.size());
}

std::optional<double> CoefficientOfVariation(std::span<const double> sample) {
  const std::optional<double> mean = Mean(sample);
  if (!mean || sample.size() < 2 || *mean <= 0) {
    return std::nullopt;
  }
  double squares = 0;
  for (const double value : sample) {
    squares += (value - *mean) * (value - *mean);
  }
  return std::sqrt(squares / static_cast<double>(sample.size() - 1)) / *mean;
}

std::optional<double> RatePerSecond(std::span<const double> amounts,
                                    std::span<const double> times_ms) {
  if (amounts.size() != times_ms.size() || !IsUsable(amounts) ||
      !IsUsable(times_ms)) {
    return std::nullopt;
  }
  const double total_ms = SumOf(times_ms);
  if (total_ms <= 0) {
    return std::nullopt;
  }
  return SumOf(amounts) * 1000.0 / total_ms;
}

}  // namespace zs::results
