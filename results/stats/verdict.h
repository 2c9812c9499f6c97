// One word for an interval.
#ifndef RESULTS_STATS_VERDICT_H_
#define RESULTS_STATS_VERDICT_H_

#include <string_view>

namespace zs::results {

// For the interval LO..HI of a ratio of speeds:
//   SAME       within 1/(1 + MARGIN) .. 1 + MARGIN, whatever the side
//   FASTER     above 1
//   SLOWER     below 1
//   UNDECIDED  all else, and ends that are not finite or not in order
std::string_view SpeedWord(double lo, double hi, double margin);

}  // namespace zs::results

#endif  // RESULTS_STATS_VERDICT_H_
