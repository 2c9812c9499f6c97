// What other tools are told about a run.
#ifndef RESULTS_EXPORT_EXPORTED_RUN_H_
#define RESULTS_EXPORT_EXPORTED_RUN_H_

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "results/report/comparison.h"
#include "results/store/reader.h"

namespace zs::results {

struct ExportedRun {
  RunRow run;
  ComparedExperiment summary;  // as the report computes it
};

// The newest valid run of each experiment of the sweeps called SWEEP (empty:
// of each sweep), by name; experiments without one are left out.
Result<std::vector<ExportedRun>> ReadExportedRuns(const Reader& reader,
                                                  const std::string& sweep);

// The known figures of RUN under the names of docs/metrics.md.
std::vector<std::pair<std::string, double>> FiguresOf(const ExportedRun& run);

}  // namespace zs::results

#endif  // RESULTS_EXPORT_EXPORTED_RUN_H_
