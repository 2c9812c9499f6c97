// The record's only writer: one SQLite file, one connection that writes and
// checkpoints. What a call here has acknowledged survives kill -9 and power
// loss (synchronous=FULL). Reading: reader.h.
#ifndef RESULTS_STORE_STORE_H_
#define RESULTS_STORE_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/store/reader.h"
#include "results/store/record.h"

namespace zs::results {

// Where to write, and who is writing.
struct StoreOptions {
  std::string path;     // made with its folder, mode 0600, if it is absent
  int64_t wait_ms = 0;  // for another runner to let go of the database
};

// Not thread-safe: one thread uses it. Holds the writer lock (PATH.lock, gone
// with the process however it ends, not inherited by programs it starts).
//
// Errors of every call name the path: kResourceExhausted (disk full),
// kPermissionDenied (read-only), kDataLoss (damaged), kUnavailable (another
// program keeps it locked). A call that fails has written nothing.
class Store {
 public:
  // Opens or makes the database and brings an older schema up to date, after a
  // copy of it at PATH.v<OLD>. Besides the above: kUnavailable where another
  // runner holds it (the message says which, where and since when);
  // kFailedPrecondition where the file is no database, another program's or
  // written by a newer version. A refused file is unchanged.
  static Result<std::unique_ptr<Store>> Open(const StoreOptions& options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Closes what a runner that died left open: its runs as process lost
  // ("runner died"), verdict undecided, its sweeps as incomplete. Returns the
  // runs that were closed. Call it once, before the first sweep.
  Result<std::vector<RunRow>> Recover(int64_t now_unix_ms);

  // The new sweep's id.
  Result<int64_t> BeginSweep(const SweepStart& start);

  // Records the experiments of a sweep, all or none; their ids in order.
  // kAlreadyExists where the sweep has one of that name.
  Result<std::vector<int64_t>> AddExperiments(
      int64_t sweep_id, const std::vector<Experiment>& experiments);

  // What the nodes of an experiment told: checks as rows of the sweep and,
  // unless EXPERIMENT_ID is 0, the key that they complete, of an experiment
  // that has no runs yet.
  struct NodeAnswers {
    std::vector<CheckRow> checks;
    std::string key;
    std::string key_parts_json;
  };
  Status AddNodeAnswers(int64_t sweep_id, int64_t experiment_id,
                        const NodeAnswers& answers);

  // Records that an experiment was not run and why; CACHED_RUN_ID is the run
  // that kCached points to, 0 otherwise. A later call replaces an earlier one.
  Status SetNotRun(int64_t experiment_id, NotRun state,
                   const std::string& reason, int64_t cached_run_id = 0);

  // The new run's id, on disk before anything is started. kAlreadyExists where
  // sweep, key and attempt are taken.
  Result<int64_t> BeginRun(const RunStart& start);

  // The following add to a run that is not finished (kFailedPrecondition when
  // it is; kNotFound for an unknown run). A row that is there already (the
  // same step, rank, node, artifact path) is replaced, so that a batch may be
  // sent again.
  Status SetEffective(int64_t run_id, const Effective& effective);
  Status AddNodes(int64_t run_id, const std::vector<NodeRow>& nodes);
  // The receipt of NODE once more, also of a run that is finished: somebody has
  // looked again. kNotFound where the run has no such node.
  Status SettleNode(int64_t run_id, const NodeRow& node);
  Status AddRanks(int64_t run_id, const std::vector<RankRow>& ranks);
  Status AppendSteps(int64_t run_id, const std::vector<StepRow>& steps);
  // Takes all its steps back: they were another rank's.
  Status ForgetSteps(int64_t run_id);
  Status AddMemory(int64_t run_id, const std::vector<MemoryRow>& measured);
  Status AppendGpuSamples(int64_t run_id,
                          const std::vector<GpuSample>& samples);
  Status AddArtifacts(int64_t run_id,
                      const std::vector<ArtifactRow>& artifacts);

  // RUN_ID 0: findings and checks of the sweep as a whole.
  Status AddFindings(int64_t sweep_id, int64_t run_id,
                     const std::vector<FindingRow>& findings);
  Status AddChecks(int64_t sweep_id, int64_t run_id,
                   const std::vector<CheckRow>& checks);

  // Makes a run the one that later runs of its experiment are measured
  // against. kNotFound for an unknown run, kFailedPrecondition for one without
  // a valid measurement, kInvalidArgument without a reason.
  Status PromoteBaseline(const BaselineRow& baseline);
  Status AddNoiseFloor(const NoiseFloor& floor);

  // The last rows of a run and its final state, in one transaction.
  // kFailedPrecondition where it is finished already.
  Status FinishRun(int64_t run_id, const std::vector<StepRow>& last_steps,
                   const RunOutcome& outcome);

  Status EndSweep(int64_t sweep_id, int64_t now_unix_ms, int exit_code,
                  const std::string& reason);

  // Queries over the same connection; lives as long as the store.
  const Reader& reader() const;

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace zs::results

#endif  // RESULTS_STORE_STORE_H_
