#include "results/stats/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "results/stats/summary.h"

namespace zs::results {
namespace {

using Values = std::vector<double>;

constexpr double kLeastPart = 0.15;

// The size of the lower part in the split of SORTED that explains most.
size_t BestSplit(const Values& sorted) {
  const double n = static_cast<double>(sorted.size());
  const double mean = *Mean(sorted);
  double low_sum = 0;
  double best = -1;
  size_t split = 0;
  for (size_t i = 1; i < sorted.size(); ++i) {
    low_sum += sorted[i - 1];
    const double k = static_cast<double>(i);
    const double distance = mean * k - low_sum;
    const double explained = distance * distance / (k * (n - k));
    if (explained > best) {
      best = explained;
      split = i;
    }
  }
  return split;
}

double VarianceAbout(double mean, std::span<const double> values) {
  double sum = 0;
  for (const double value : values) {
    sum += (value - mean) * (value - mean);
  }
  return sum / static_cast<double>(values.size());
}

}  // namespace

std::optional<TwoLevels> TwoLevelsOf(std::span<const double> series) {
  if (!Mean(series)) {
    return std::nullopt;
  }
  Values sorted(series.begin(), series.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t split = BestSplit(sorted);
  const std::span<const double> low(sorted.data(), split);
  const std::span<const double> high(sorted.data() + split,
                                     sorted.size() - split);
  const double least = kLeastPart * static_cast<double>(sorted.size());
  if (split == 0 ||
      static_cast<double>(std::min(low.size(), high.size())) < least) {
    return std::nullopt;
  }
  TwoLevels levels;
  levels.low = *Mean(low);
  levels.high = *Mean(high);
  levels.border = high.front();
  levels.low_share =
      static_cast<double>(split) / static_cast<double>(sorted.size());
  const double spread = std::sqrt(VarianceAbout(levels.low, low) +
                                  VarianceAbout(levels.high, high));
  levels.separation = spread > 0
                          ? std::sqrt(2.0) * (levels.high - levels.low) / spread
                          : std::numeric_limits<double>::infinity();
  return levels;
}

}  // namespace zs::results
