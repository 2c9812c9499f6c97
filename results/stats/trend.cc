#include "results/stats/trend.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "results/stats/dependence.h"
#include "results/stats/summary.h"

namespace zs::results {
namespace {

constexpr size_t kFewest = 10;
constexpr size_t kMostForPairs = 300;

// Medians of BLOCK neighbours each.
std::vector<double> Thinned(std::span<const double> series, size_t block) {
  std::vector<double> thinned;
  for (size_t i = 0; i + block <= series.size(); i += block) {
    thinned.push_back(*Median(series.subspan(i, block)));
  }
  return thinned;
}

}  // namespace

std::optional<double> TrendOf(std::span<const double> series, double score) {
  if (series.size() < kFewest || !Mean(series)) {
    return std::nullopt;
  }
  const size_t block = (series.size() + kMostForPairs - 1) / kMostForPairs;
  std::vector<double> values = Thinned(series, block);
  std::vector<double> slopes;
  slopes.reserve(values.size() * (values.size() - 1) / 2);
  double rising = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = i + 1; j < values.size(); ++j) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
      rising += values[j] > values[i] ? 1 : values[j] < values[i] ? -1 : 0;
    }
  }
  const double n = static_cast<double>(values.size());
  const double slope = *Median(slopes);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] -= slope * static_cast<double>(i);
  }
  const double phi = NeighbourCorrelation(WithoutSpikes(values));
  const double variance =
      n * (n - 1) * (2 * n + 5) / 18 * (1 + phi) / (1 - phi);
  if (std::abs(rising) / std::sqrt(variance) < score) {
    return std::nullopt;
  }
  return slope / static_cast<double>(block);
}

}  // namespace zs::results
