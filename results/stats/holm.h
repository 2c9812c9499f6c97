// Many tests at once.
#ifndef RESULTS_STATS_HOLM_H_
#define RESULTS_STATS_HOLM_H_

#include <span>
#include <vector>

namespace zs::results {

// Adjusted p-values in the order given: rejecting those below a level keeps the
// chance of any false rejection below it. Holm, "A simple sequentially
// rejective multiple test procedure", Scandinavian Journal of Statistics 6
// (1979). A p-value that is not a number counts as 1.
std::vector<double> HolmAdjusted(std::span<const double> p_values);

}  // namespace zs::results

#endif  // RESULTS_STATS_HOLM_H_
