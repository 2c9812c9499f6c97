// One side of a comparison, read from the record.
#ifndef RESULTS_REPORT_MEASURED_SIDE_H_
#define RESULTS_REPORT_MEASURED_SIDE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/report/comparison.h"
#include "results/store/reader.h"

namespace zs::results {

// The loss of a step; it may be NaN.
struct StepLoss {
  int64_t step = 0;
  double loss = 0;
};

// What statistics and fairness need of a run.
struct MeasuredSide {
  ComparedExperiment summary;    // all but ratio, baseline, loss_equal
  std::vector<double> step_ms;   // over the window, in order
  std::vector<StepLoss> losses;  // of all steps that have one
  double tokens_per_step = 0;    // median over the window; 0: unknown
  // The conditions of the run: what was asked for but the ZeRO stage, what was
  // in effect, environment and hosts.
  std::string conditions_json = "{}";
};

// The newest valid run of EXPERIMENT's key, over WINDOW or, without one, all
// steps after the warm-up. Where there is no such run the summary says why and
// what to do, and that is no error.
Result<MeasuredSide> Measure(const Reader& reader,
                             const ExperimentRow& experiment,
                             const std::optional<StepWindow>& window);

}  // namespace zs::results

#endif  // RESULTS_REPORT_MEASURED_SIDE_H_
