// Two levels that a series goes back and forth between.
#ifndef RESULTS_STATS_LEVELS_H_
#define RESULTS_STATS_LEVELS_H_

#include <cstddef>
#include <optional>
#include <span>

namespace zs::results {

struct TwoLevels {
  double low = 0;         // means of the values below the border, and
  double high = 0;        // of those from it on
  double border = 0;      // the least value of the upper level
  double low_share = 0;   // of the values
  double separation = 0;  // Ashman's D
};

// Otsu's split of SERIES (1979), where at least 15% of the values lie on each
// side of it. One level split in two has a separation of about 2.7 where it is
// normal; above 4 there are two for the eye, too (Ashman, Bird and Zepf 1994).
std::optional<TwoLevels> TwoLevelsOf(std::span<const double> series);

}  // namespace zs::results

#endif  // RESULTS_STATS_LEVELS_H_
