// The times of a run for `show`.
#ifndef RESULTS_REPORT_RUN_FIGURES_H_
#define RESULTS_REPORT_RUN_FIGURES_H_

#include <cstdint>

#include "base/status.h"
#include "results/report/table.h"
#include "results/store/reader.h"

namespace zs::results {

// Each part of a step over the steps after the warm-up: median and 95th
// percentile beside what was predicted, and the steps in order as a sparkline.
// No rows where there is no such step.
Result<Table> StepTimeTable(const Reader& reader, int64_t run_id);

}  // namespace zs::results

#endif  // RESULTS_REPORT_RUN_FIGURES_H_
