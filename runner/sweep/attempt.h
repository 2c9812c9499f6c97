// One run: started, watched, measured, judged and recorded.
#ifndef RUNNER_SWEEP_ATTEMPT_H_
#define RUNNER_SWEEP_ATTEMPT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "results/store/store.h"
#include "runner/backend/run_record.h"
#include "runner/check/result.h"
#include "runner/plan/spec/experiment.h"
#include "runner/reach/agent_pool.h"
#include "runner/reach/file_set.h"
#include "runner/supervise/outcome.h"
#include "runner/supervise/stop_source.h"
#include "runner/sweep/measured.h"
#include "runner/sweep/progress.h"

namespace zs {

// What the runs of one sweep share. All outlive the sweep.
struct SweepTools {
  results::Store& store;
  AgentPool& agents;
  const StopSource& stop;
  SweepProgress& progress;
  const Clock& clock;
  KnownProgram& engine;          // frozen for the sweep
  std::string environment_json;  // secrets are masked
};

struct AttemptRequest {
  const Experiment& experiment;
  int64_t sweep_id = 0;
  int64_t experiment_id = 0;
  int repeat = 1;
  int attempt = 1;     // for people; the store numbers on its own
  std::string folder;  // of this attempt; absolute; made here
  std::vector<results::PredictionRow> predictions = {};  // of its step
  // Whether the files that its key names are still what they were.
  std::function<Status()> check_files = [] { return OkStatus(); };
};

struct AttemptResult {
  int64_t run_id = 0;
  std::string token;  // of its processes
  RunOutcome ended;
  RunRecord record;
  Measured measured;
  results::RunOutcome outcome;
};

// Carries out one attempt; one whose files have changed since its key was
// formed is refused, and one during which they did does not count. Its row is
// on disk before anything starts and gets its final state last. An error means
// that the record could not be kept (disk full, ...), not that the run failed.
Result<AttemptResult> RunAttempt(SweepTools& tools,
                                 const AttemptRequest& request);

// Records an attempt that is not made because checks FOUND its nodes unfit: a
// run whose process is lost (nothing was started) and that fails.
Status RecordRefusal(SweepTools& tools, const AttemptRequest& request,
                     const std::vector<CheckResult>& found);

}  // namespace zs

#endif  // RUNNER_SWEEP_ATTEMPT_H_
