#include "results/stats/holm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace zs::results {

std::vector<double> HolmAdjusted(std::span<const double> p_values) {
  std::vector<double> p(p_values.begin(), p_values.end());
  for (double& value : p) {
    value = std::isnan(value) ? 1 : value;
  }
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const double factor = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, factor * p[order[rank]]));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

}  // namespace zs::results
