// The figures of one run, taken from its record. What the run did not tell is
// absent.
#ifndef RUNNER_SWEEP_MEASURED_H_
#define RUNNER_SWEEP_MEASURED_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/backend/run_record.h"

namespace zs {

struct Measured {
  std::optional<int> world_size;  // that the ranks agree on
  std::optional<int> zero_stage;  // in effect, that the ranks agree on
  int64_t steps = 0;              // in an unbroken row from the first
  int64_t first_step = 0;         // 0: none
  std::optional<std::string> invalid_loss;  // "step 7: loss nan"
  // What the run should have told and has not (RunRecord::missing).
  std::vector<std::string> missing;
  std::optional<double> tokens_per_s;  // over the window
  std::optional<double> tokens_per_s_per_rank;
  std::optional<double> step_ms_median;
  std::optional<double> step_cv;
  std::optional<double> final_loss;
  // Of the rank with most; unknown where not every rank told its own.
  std::optional<int64_t> mem_peak_bytes;
  // Of the slowest operation at its fastest size (collectives).
  std::optional<double> busbw_gb_s;
  // That the ranks agree on; unknown where not every rank told its own.
  std::optional<std::string> parameters_sha256;
  int ranks_ended = 0;        // that told their parameters
  bool ranks_differ = false;  // those ended with different ones
};

// Statistics leave out the first WARMUP_STEPS steps; tokens/s are tokens over
// time, not a mean of rates.
Measured Measure(const RunRecord& record, int64_t warmup_steps);

}  // namespace zs

#endif  // RUNNER_SWEEP_MEASURED_H_
