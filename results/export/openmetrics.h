// Runs for Prometheus and what reads its format.
#ifndef RESULTS_EXPORT_OPENMETRICS_H_
#define RESULTS_EXPORT_OPENMETRICS_H_

#include <string>
#include <vector>

#include "results/export/exported_run.h"

namespace zs::results {

// The OpenMetrics 1.0 text: a gauge zerosweep_NAME for each figure, a sample
// for each run with the labels sweep, experiment, run, model, zero_stage,
// world_size and device, stamped with the run's end.
std::string OpenMetricsText(const std::vector<ExportedRun>& runs);

}  // namespace zs::results

#endif  // RESULTS_EXPORT_OPENMETRICS_H_
