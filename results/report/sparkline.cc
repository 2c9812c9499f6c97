#include "results/report/sparkline.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace zs::results {

std::string Sparkline(const std::vector<double>& values, int width) {
  static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄",
                                            "▅", "▆", "▇", "█"};
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](double v) { return std::isfinite(v); });
  if (finite.empty() || width <= 0) {
    return "";
  }
  const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  const double span = *high - *low;
  const size_t columns = std::min(finite.size(), static_cast<size_t>(width));
  std::string out;
  for (size_t i = 0; i < columns; ++i) {
    const auto begin = finite.begin() +
                       static_cast<std::ptrdiff_t>(finite.size() * i / columns);
    const auto end = finite.begin() + static_cast<std::ptrdiff_t>(
                                          finite.size() * (i + 1) / columns);
    const double highest = *std::max_element(begin, end);
    const double share = span > 0 ? (highest - *low) / span : 0;
    out += kBlocks[std::min(7, static_cast<int>(share * 8))];
  }
  return out;
}

}  // namespace zs::results
