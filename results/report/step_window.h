// Which steps of a run count.
#ifndef RESULTS_REPORT_STEP_WINDOW_H_
#define RESULTS_REPORT_STEP_WINDOW_H_

#include <optional>

#include "base/status.h"
#include "results/report/comparison.h"
#include "results/store/reader.h"

namespace zs::results {

// The window ASKED for (--window, else `compare.window`), or all steps after
// the warm-up: after the declared one (the first step alone where none is
// declared; it pays for memory, caches and connections) and after what
// SEEN.times show beyond it, which is said in SEEN.observations.
StepWindow WindowOf(const RunRow& run, const std::optional<StepWindow>& asked,
                    ComparedExperiment& seen);

// The same for a run alone, by the times on record.
Result<StepWindow> SteadyWindow(const Reader& reader, const RunRow& run);

}  // namespace zs::results

#endif  // RESULTS_REPORT_STEP_WINDOW_H_
