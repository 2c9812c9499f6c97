// The seam between a sweep, which decides and records, and what carries an
// experiment out. drivers.h has the table of all of them.
#ifndef RUNNER_BACKEND_DRIVER_H_
#define RUNNER_BACKEND_DRIVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/store/record.h"
#include "runner/backend/launch.h"
#include "runner/backend/run_record.h"
#include "runner/plan/spec/experiment.h"
#include "runner/reach/agent_pool.h"
#include "runner/supervise/observer.h"
#include "runner/supervise/outcome.h"
#include "runner/supervise/request.h"

namespace zs {

// What theory says of a run before it starts, as far as it says anything.
struct Prediction {
  std::optional<results::MemoryRow> memory;  // of the rank with most
  std::vector<results::CommTheory> comm;     // that one rank sends in a step
};

// What is known of an experiment before anything is started.
struct PlanNote {
  bool is_error = false;  // it must not be started so
  std::string field;      // of the experiment: "train.zero_stage"
  std::string message;
};

// Watches one run and keeps its record. Not thread-safe.
class BackendObserver : public RunObserver {
 public:
  // The processes that are about to be started; once, before any output.
  virtual void Begin(const RunRequest& request) = 0;

  // All that the run has told; the last call, when it has ENDED.
  virtual RunRecord Take(const RunOutcome& ended) = 0;
};

// Called with each step as it comes.
using StepSink = std::function<void(const results::StepRow&)>;

// One backend. Without state: one object serves all runs, from any thread.
class BackendDriver {
 public:
  virtual ~BackendDriver() = default;

  virtual Prediction Predict(const Experiment& experiment) const {
    static_cast<void>(experiment);
    return {};
  }

  // What this backend says of EXPERIMENT from the file and from this host
  // alone; reaches no node.
  virtual std::vector<PlanNote> Examine(const Experiment& experiment) const {
    static_cast<void>(experiment);
    return {};
  }

  // What the run has to tell to count as complete.
  virtual Completion Wanted(const Experiment& experiment) const = 0;

  // What a run in FOLDER saves; empty where the backend saves nothing.
  virtual CheckpointConfig Saves(const Experiment& experiment,
                                 const std::string& folder) const {
    static_cast<void>(experiment);
    static_cast<void>(folder);
    return {};
  }

  // Looks at the nodes, puts there what the processes start from, and fills in
  // the rest of LAUNCH. LAUNCH.folder is there. An error means that the run
  // cannot start; its message is the reason.
  virtual Status Prepare(const Experiment& experiment, AgentPool& agents,
                         Launch& launch) const = 0;

  // The processes of the run. Pure.
  virtual RunRequest Compose(const Experiment& experiment,
                             const Launch& launch) const = 0;

  // For `plan --show`: LAUNCH, of which only engine_path is known, with
  // placeholders for what Prepare would find (FOLDER, CACHE, HASH).
  virtual Launch Imagine(const Experiment& experiment, Launch launch) const = 0;

  // Further lines for `plan --show`: files that the processes read.
  virtual std::string ShownFiles(const Experiment& experiment,
                                 const Launch& launch) const {
    static_cast<void>(experiment);
    static_cast<void>(launch);
    return "";
  }

  // EXPERIMENT outlives the observer.
  virtual std::unique_ptr<BackendObserver> Observe(const Experiment& experiment,
                                                   StepSink on_step) const = 0;

  // Whether RESUMED, which went on from FIRST's checkpoint of step
  // LOADED_STEP, did the same as FIRST. kUnimplemented: cannot be told.
  virtual Status CompareResumed(const RunRecord& first,
                                const RunRecord& resumed,
                                int64_t loaded_step) const {
    static_cast<void>(first);
    static_cast<void>(resumed);
    static_cast<void>(loaded_step);
    return UnimplementedError("this backend does not verify checkpoints");
  }
};

}  // namespace zs

#endif  // RUNNER_BACKEND_DRIVER_H_
