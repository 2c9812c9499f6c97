#include "results/report/downsample.h"

#include <algorithm>

namespace zs::results {

std::vector<StepPoint> Downsampled(const std::vector<StepPoint>& points,
                                   size_t most) {
  if (points.size() <= most) {
    return points;
  }
  const auto lower = [](const StepPoint& a, const StepPoint& b) {
    return a.ms < b.ms;
  };
  std::vector<StepPoint> kept = {points.front()};
  const size_t stretches = (most - 2) / 2;
  const size_t inner = points.size() - 2;
  for (size_t i = 0; i < stretches; ++i) {
    const auto begin =
        points.begin() + static_cast<std::ptrdiff_t>(1 + inner * i / stretches);
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(
                                          1 + inner * (i + 1) / stretches);
    const auto [low, high] = std::minmax_element(begin, end, lower);
    kept.push_back(std::min(low, high)[0]);
    if (low != high) {
      kept.push_back(std::max(low, high)[0]);
    }
  }
  kept.push_back(points.back());
  return kept;
}

}  // namespace zs::results
