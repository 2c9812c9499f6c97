// Questions to the record. Read-only: a reader never creates, migrates or
// checkpoints, and a writer is not in its way nor it in the writer's (on a
// network disk, where there is no WAL, they wait for each other).
#ifndef RESULTS_STORE_READER_H_
#define RESULTS_STORE_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/store/record.h"

namespace zs::results {

class Database;

// Which runs to list; empty fields do not restrict.
struct RunFilter {
  std::string sweep = {};       // name of the sweep
  std::string experiment = {};  // glob over the experiment's name
  std::string key = {};
  std::optional<MeasurementState> measurement = {};
  std::optional<Verdict> verdict = {};
  int64_t sweep_id = 0;
  int64_t limit = 0;  // 0: all
};

// A step's time, for statistics over long runs.
struct StepTime {
  int64_t step = 0;
  double step_ms = 0;
  std::optional<double> comm_exposed_ms;
  std::optional<int64_t> tokens;
};

// What comparisons want of a step; a loss may be NaN.
struct StepFigure {
  int64_t step = 0;
  std::optional<double> step_ms;
  std::optional<double> comm_exposed_ms;
  std::optional<int64_t> tokens;
  std::optional<double> loss;
};

// Traffic of one operation over a window of steps.
struct CommTotal {
  std::string op;
  int64_t steps = 0;  // steps that it was seen in
  std::optional<int64_t> calls;
  std::optional<int64_t> bytes;
  std::optional<double> ms;
};

// The last steps included; steps from 1, both ends belong to it.
struct StepWindow {
  int64_t first = 1;
  int64_t last = INT64_MAX;
};

// While it lives, a reader's answers all belong to one moment.
class Snapshot {
 public:
  explicit Snapshot(Database& database) : database_(&database) {}
  ~Snapshot();
  Snapshot(Snapshot&& other) noexcept;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  Snapshot& operator=(Snapshot&&) = delete;

 private:
  Database* database_;  // null after a move
};

// Not thread-safe. Errors are those of Store. Lists are in the order of ids,
// which is the order of time.
class Reader {
 public:
  // kNotFound where there is no database or nothing was recorded in it;
  // kFailedPrecondition where it is not ours, or of another schema version.
  static Result<std::unique_ptr<Reader>> Open(const std::string& path);
  // For Store: DATABASE must outlive the reader.
  explicit Reader(Database& database);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const std::string& path() const;

  // One at a time, and short: on a network disk it holds the writer up.
  Result<Snapshot> TakeSnapshot() const;

  Result<std::vector<SweepRow>> Sweeps() const;
  Result<SweepRow> Sweep(int64_t sweep_id) const;  // kNotFound
  Result<std::vector<ExperimentRow>> Experiments(int64_t sweep_id) const;

  // The newest record of each experiment name of the sweeps called SWEEP
  // (empty: of all sweeps), by name.
  Result<std::vector<ExperimentRow>> NewestExperiments(
      const std::string& sweep) const;

  // Newest first.
  Result<std::vector<RunRow>> Runs(const RunFilter& filter) const;
  Result<RunRow> Run(int64_t run_id) const;  // kNotFound

  // Those that are not finished, oldest first.
  Result<std::vector<RunRow>> OpenRuns() const;

  Result<std::vector<StepRow>> Steps(int64_t run_id, StepWindow window) const;
  Result<std::vector<StepTime>> StepTimes(int64_t run_id,
                                          StepWindow window) const;
  // Into FIGURES in place of what is there: whoever reads many runs asks for
  // memory once.
  Status StepFigures(int64_t run_id, std::vector<StepFigure>& figures) const;
  Result<std::vector<CommTotal>> Communication(int64_t run_id,
                                               StepWindow window) const;
  Result<std::vector<CommTheory>> Theory(int64_t run_id) const;
  Result<std::vector<PredictionRow>> Predictions(int64_t run_id) const;
  // By operation and size; empty for a run that trains.
  Result<std::vector<BandwidthRow>> Bandwidths(int64_t run_id) const;
  Result<std::vector<MemoryRow>> Memory(int64_t run_id, MemoryKind kind) const;
  Result<std::vector<NodeRow>> Nodes(int64_t run_id) const;
  // What runs that are over may have left on HOST, oldest first.
  Result<std::vector<UncleanNode>> UncleanNodes(const std::string& host) const;
  Result<std::vector<RankRow>> Ranks(int64_t run_id) const;
  Result<std::vector<GpuSample>> GpuSamples(int64_t run_id) const;
  Result<std::vector<FindingRow>> Findings(int64_t run_id) const;
  Result<std::vector<CheckRow>> Checks(int64_t sweep_id) const;
  // Those of its sweep that came before the run, and its own.
  Result<std::vector<CheckRow>> ChecksOfRun(int64_t run_id) const;
  Result<std::vector<ArtifactRow>> Artifacts(int64_t run_id) const;
  Result<std::string> EnvironmentJson(int64_t run_id) const;

  // Of the sweep as a whole, no run's.
  Result<std::vector<FindingRow>> SweepFindings(int64_t sweep_id) const;

  // The newest first; of all experiments, or those called EXPERIMENT.
  Result<std::vector<BaselineRow>> Baselines(
      const std::string& experiment) const;
  Result<std::vector<NoiseFloor>> NoiseFloors() const;

 private:
  Reader(std::unique_ptr<Database> owned, Database& database);

  std::unique_ptr<Database> owned_;  // empty: the store's
  Database& database_;
};

}  // namespace zs::results

#endif  // RESULTS_STORE_READER_H_
