// Intervals of ratios, drawn with characters.
#ifndef RESULTS_REPORT_INTERVAL_PLOT_H_
#define RESULTS_REPORT_INTERVAL_PLOT_H_

#include <string>

#include "results/report/comparison.h"

namespace zs::results {

// A line for each experiment that has an interval, on one scale that holds 1:
//   z1      │  ├●┤  FASTER
// Empty where none has.
std::string IntervalPlot(const Comparison& comparison);

}  // namespace zs::results

#endif  // RESULTS_REPORT_INTERVAL_PLOT_H_
