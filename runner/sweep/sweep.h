// Carries out a prepared sweep: one experiment after the other, each recorded.
#ifndef RUNNER_SWEEP_SWEEP_H_
#define RUNNER_SWEEP_SWEEP_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "runner/sweep/attempt.h"
#include "runner/sweep/prepare.h"

namespace zs {

struct SweepRequest {
  std::string artifact_root;  // absolute; one folder a sweep below it
  bool fail_fast = false;     // start nothing more after a failure
  results::SweepStart start;  // who asked for it
  // Set from elsewhere (a signal): no further experiment is started.
  const std::atomic<bool>* stop_after = nullptr;
};

struct SweepResult {
  int64_t sweep_id = 0;
  int passed = 0;
  int failed = 0;
  int started = 0;  // attempts of any experiment whose nodes were fit
  int cached = 0;
  int skipped = 0;
  int does_not_fit = 0;      // of the skipped
  int need_missing = 0;      // of the skipped: a need failed or was skipped
  int not_reached = 0;       // stopped before their turn
  bool stopped = false;      // on request
  bool out_of_time = false;  // total_s was used up
};

// Runs what PREPARATION decided to run, in order, once its nodes have passed
// their checks, and records the rest with its reason; an experiment whose need
// fails is skipped, the others go on. Repeats of neighbours are interleaved
// (blocks.h; request.start.seed), further ones go to pairs that are undecided
// (`until`), sentinels frame the whole, and nothing is started after the
// sweep's total_s. An error means that the record could not
// be kept.
Result<SweepResult> RunSweep(SweepTools& tools, const SweepRequest& request,
                             Preparation& preparation);

}  // namespace zs

#endif  // RUNNER_SWEEP_SWEEP_H_
