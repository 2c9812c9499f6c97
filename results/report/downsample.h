// Fewer points that look the same.
#ifndef RESULTS_REPORT_DOWNSAMPLE_H_
#define RESULTS_REPORT_DOWNSAMPLE_H_

#include <cstddef>
#include <vector>

#include "results/report/comparison.h"

namespace zs::results {

// At most MOST (at least 4) of POINTS: the first, the last, and of each stretch
// the lowest and the highest, so that no spike is hidden.
std::vector<StepPoint> Downsampled(const std::vector<StepPoint>& points,
                                   size_t most);

}  // namespace zs::results

#endif  // RESULTS_REPORT_DOWNSAMPLE_H_
