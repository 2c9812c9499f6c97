// Equal loss first: speed is compared between runs that learn the same.
#ifndef RESULTS_REPORT_LOSS_CHECK_H_
#define RESULTS_REPORT_LOSS_CHECK_H_

#include <string>

#include "results/report/comparison.h"
#include "results/report/measured_side.h"

namespace zs::results {

// Looks at every step that the newest runs of both sides have a loss for. The
// test: bit by bit where the larger `loss_tolerance` of the two sides is 0,
// else the largest relative difference of a step is at most that, or at most
// what the baseline's runs differ by among themselves (an experiment does not
// excuse itself). Runs of one side that differ by more than rounding does are
// equal to nothing, and so is a loss that is not a number.
LossCheck CheckLosses(const MeasuredSide& baseline, const MeasuredSide& side);

// "same losses", "losses equal within 0.1%", "losses unknown", "losses DIFFER
// from step 12 on", "losses DIFFER by 0.5% at step 40 (0.1% allowed)".
std::string LossText(const LossCheck& check);

}  // namespace zs::results

#endif  // RESULTS_REPORT_LOSS_CHECK_H_
