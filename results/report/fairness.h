// What must be the same on both sides of a comparison.
#ifndef RESULTS_REPORT_FAIRNESS_H_
#define RESULTS_REPORT_FAIRNESS_H_

#include <string>
#include <string_view>
#include <vector>

#include "results/report/comparison.h"
#include "results/report/measured_side.h"

namespace zs::results {

enum class Fairness {
  kUnfair,   // the ratio is then about something else
  kNoted,    // said, but the comparison stands
  kIgnored,  // of no consequence for speed: names, places, expectations
};

// What a difference at PATH ("asked.train.seq_len") means; the table is in
// fairness.cc, its longest entry that is the beginning of the path counts.
Fairness FairnessOf(std::string_view path);

// What differs between the conditions of two sides, by path, the ZeRO stage
// left out. Empty where a side has no run.
std::vector<Difference> ConditionDifferences(const MeasuredSide& baseline,
                                             const MeasuredSide& side);

}  // namespace zs::results

#endif  // RESULTS_REPORT_FAIRNESS_H_
