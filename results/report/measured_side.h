// One side of a comparison, read from the record.
#ifndef RESULTS_REPORT_MEASURED_SIDE_H_
#define RESULTS_REPORT_MEASURED_SIDE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/report/comparison.h"
#include "results/report/gpu_state.h"
#include "results/store/reader.h"

namespace zs::results {

// The loss of a step; it may be NaN.
struct StepLoss {
  int64_t step = 0;
  double loss = 0;
};

// What statistics and fairness need of a run.
struct MeasuredSide {
  ComparedExperiment summary;  // all but ratio, baseline, loss_equal
  // The times of each run over its window, in order; oldest run first.
  std::vector<std::vector<double>> runs;
  std::vector<StepLoss> losses;  // of all steps that have one
  GpuState gpu;                  // of the newest run
  int64_t sweep_id = 0;          // of the newest run
  double tokens_per_step = 0;    // median over the window; 0: unknown
  double loss_tolerance = 0;     // conditions.h
  // By how much the losses of this side's own runs differ at most, relatively;
  // absent where it was run once, or says by itself what is allowed.
  std::optional<double> loss_spread;
  // The conditions of the newest run (conditions.h).
  std::string conditions_json = "{}";
};

// The valid repeats under EXPERIMENT's key (of each the newest), over WINDOW
// or, without one, all steps after the warm-up. Memory, traffic, losses and
// observations are those of the newest run. Where there is no valid run the
// summary says why and what to do, and that is no error. Runs up to
// AFTER_RUN_ID do not count.
Result<MeasuredSide> Measure(const Reader& reader,
                             const ExperimentRow& experiment,
                             const std::optional<StepWindow>& window,
                             int64_t after_run_id = 0);

// The same of the repeats that belong to RUN_ID: those under its key in its
// sweep. kNotFound where there is no such run.
Result<MeasuredSide> MeasureRun(const Reader& reader, int64_t run_id,
                                const std::optional<StepWindow>& window);

}  // namespace zs::results

#endif  // RESULTS_REPORT_MEASURED_SIDE_H_
