// One word for an interval.
#ifndef RESULTS_STATS_VERDICT_H_
#define RESULTS_STATS_VERDICT_H_

#include <string_view>

namespace zs::results {

// FASTER and SLOWER stand only where the p-value is at most this: 5% false
// words are the most that is promised, and what a test says is right only on
// average over kinds of noise (docs/metrics.md).
inline constexpr double kWordLevel = 0.04;

// For the interval LO..HI of a ratio of speeds:
//   SAME       within 1/(1 + MARGIN) .. 1 + MARGIN, whatever the side
//   FASTER     above 1
//   SLOWER     below 1
//   UNDECIDED  all else, and ends that are not finite or not in order
std::string_view SpeedWord(double lo, double hi, double margin);

}  // namespace zs::results

#endif  // RESULTS_STATS_VERDICT_H_
