// Who is best: the first thing to know of a comparison.
#ifndef RESULTS_REPORT_RANKING_H_
#define RESULTS_REPORT_RANKING_H_

#include <optional>
#include <string>
#include <vector>

#include "results/report/comparison.h"

namespace zs::results {

// A sentence for each baseline: "BEST: z1, 1.10 times as fast as z0 (95% sure:
// 1.08 to 1.12)", "NO WINNER YET: ...". Nobody is best whose runs, or whose
// baseline's, failed, nor where speeds are compared --even-so.
std::vector<std::string> BestTexts(const Comparison& comparison);

// Memory that differs by less than this share is not worth a word.
inline constexpr double kMemoryTolerance = 0.05;

}  // namespace zs::results

#endif  // RESULTS_REPORT_RANKING_H_
