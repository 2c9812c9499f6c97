#include "results/store/store.h"

#include <filesystem>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "results/store/database.h"
#include "results/store/file_system_kind.h"
#include "results/store/mask.h"
#include "results/store/rows.h"
#include "results/store/run_rows.h"
#include "results/store/schema.h"
#include "results/store/writer_lock.h"

namespace zs::results {

struct Store::State {
  WriterLock lock;
  std::unique_ptr<Database> database;
  std::unique_ptr<Reader> reader;
};

namespace {

// Refuses a file that is not ours before anything, a lock file even, is made.
Status CheckIdentity(const std::string& path) {
  auto database = Database::Open(path, Database::Mode::kReadOnly);
  if (!database.ok()) {
    return database.status().code() == StatusCode::kNotFound
               ? OkStatus()
               : database.status();
  }
  ASSIGN_OR_RETURN(const int version, SchemaVersion(**database));
  (void)version;
  return OkStatus();
}

Status SetDurability(Database& database) {
  ASSIGN_OR_RETURN(const bool local, LiesOnLocalDisk(database.path()));
  return database.Execute(
      std::string("PRAGMA synchronous = FULL; PRAGMA journal_mode = ") +
      (local ? "WAL" : "DELETE"));
}

}  // namespace

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::~Store() = default;

const Reader& Store::reader() const {
  return *state_->reader;
}

Result<std::unique_ptr<Store>> Store::Open(const StoreOptions& options) {
  RETURN_IF_ERROR(CheckIdentity(options.path));
  const auto folder = std::filesystem::path(options.path).parent_path();
  if (!folder.empty()) {
    RETURN_IF_ERROR(MakeFolders(folder.string()));
  }
  ASSIGN_OR_RETURN(WriterLock lock,
                   WriterLock::Acquire(options.path + ".lock", options.wait_ms,
                                       RealClock()));
  ASSIGN_OR_RETURN(auto database,
                   Database::Open(options.path, Database::Mode::kReadWrite));
  RETURN_IF_ERROR(SetDurability(*database));
  RETURN_IF_ERROR(Migrate(*database, Migrations()));
  auto reader = std::make_unique<Reader>(*database);
  return std::unique_ptr<Store>(new Store(std::unique_ptr<State>(
      new State{std::move(lock), std::move(database), std::move(reader)})));
}

Result<std::vector<RunRow>> Store::Recover(int64_t now_unix_ms) {
  Database& database = *state_->database;
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  ASSIGN_OR_RETURN(std::vector<RunRow> open, reader().OpenRuns());
  for (RunRow& run : open) {
    RETURN_IF_ERROR(CloseLostRun(database, run, now_unix_ms));
  }
  ASSIGN_OR_RETURN(
      Statement close,
      database.Prepare("UPDATE sweeps SET ended_unix_ms = ?, exit_code = 6,"
                       " reason = 'runner died' WHERE ended_unix_ms IS NULL"));
  RETURN_IF_ERROR(close.Bind(now_unix_ms).Run());
  RETURN_IF_ERROR(transaction.Commit());
  return open;
}

Result<int64_t> Store::BeginSweep(const SweepStart& start) {
  Database& database = *state_->database;
  ASSIGN_OR_RETURN(const std::string args,
                   MaskJson(start.args_json, "args_json"));
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare("INSERT INTO sweeps (name, file, args_json,"
                       " runner_version, host, pid, seed, started_unix_ms)"
                       " VALUES (?,?,?,?,?,?,?,?)"));
  insert.Bind(start.name, start.file, args, start.runner_version, start.host,
              start.pid, static_cast<int64_t>(start.seed),
              start.started_unix_ms);
  RETURN_IF_ERROR(insert.Run());
  return database.last_insert_id();
}

Result<std::vector<int64_t>> Store::AddExperiments(
    int64_t sweep_id, const std::vector<Experiment>& experiments) {
  Database& database = *state_->database;
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  std::vector<int64_t> ids;
  ids.reserve(experiments.size());
  for (const Experiment& experiment : experiments) {
    ASSIGN_OR_RETURN(const int64_t id,
                     InsertExperiment(database, sweep_id, experiment));
    ids.push_back(id);
  }
  RETURN_IF_ERROR(transaction.Commit());
  return ids;
}

Status Store::SetNotRun(int64_t experiment_id, NotRun state,
                        const std::string& reason, int64_t cached_run_id) {
  return SetExperimentNotRun(*state_->database, experiment_id, state, reason,
                             cached_run_id);
}

Result<int64_t> Store::BeginRun(const RunStart& start) {
  Database& database = *state_->database;
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  ASSIGN_OR_RETURN(const int64_t id, InsertRun(database, start));
  if (start.mem_predicted) {
    RETURN_IF_ERROR(WriteMemory(database, id, MemoryKind::kPredicted,
                                {*start.mem_predicted}));
  }
  RETURN_IF_ERROR(WriteTheory(database, id, start.comm_theory));
  RETURN_IF_ERROR(WritePredictions(database, id, start.predictions));
  RETURN_IF_ERROR(WriteNodes(database, id, start.nodes));
  RETURN_IF_ERROR(WriteArtifacts(database, id, start.artifacts));
  RETURN_IF_ERROR(transaction.Commit());
  return id;
}

Status Store::FinishRun(int64_t run_id, const std::vector<StepRow>& last_steps,
                        const RunOutcome& outcome) {
  return InOpenRun(*state_->database, run_id, [&](Database& database) {
    RETURN_IF_ERROR(WriteSteps(database, run_id, last_steps));
    return WriteOutcome(database, run_id, outcome);
  });
}

Status Store::EndSweep(int64_t sweep_id, int64_t now_unix_ms, int exit_code,
                       const std::string& reason) {
  Database& database = *state_->database;
  ASSIGN_OR_RETURN(
      Statement update,
      database.Prepare("UPDATE sweeps SET ended_unix_ms = ?, exit_code = ?,"
                       " reason = ? WHERE id = ? RETURNING id"));
  ASSIGN_OR_RETURN(
      const bool found,
      update.Bind(now_unix_ms, exit_code, MaskSecrets(reason), sweep_id)
          .Step());
  if (!found) {
    return NotFoundError(database.path() + ": no sweep " +
                         std::to_string(sweep_id));
  }
  return update.Run();
}

Status Store::SetEffective(int64_t run_id, const Effective& effective) {
  return InOpenRun(*state_->database, run_id, [&](Database& database) {
    return WriteEffective(database, run_id, effective);
  });
}

Status Store::AddNodes(int64_t run_id, const std::vector<NodeRow>& nodes) {
  return InOpenRun(*state_->database, run_id, [&](Database& database) {
    return WriteNodes(database, run_id, nodes);
  });
}

Status Store::SettleNode(int64_t run_id, const NodeRow& node) {
  return UpdateReceipt(*state_->database, run_id, node);
}

Status Store::AddRanks(int64_t run_id, const std::vector<RankRow>& ranks) {
  return InOpenRun(*state_->database, run_id, [&](Database& database) {
    return WriteRanks(database, run_id, ranks);
  });
}

Status Store::AppendSteps(int64_t run_id, const std::vector<StepRow>& steps) {
  return InOpenRun(*state_->database, run_id, [&](Database& database) {
    return WriteSteps(database, run_id, steps);
  });
}

Status Store::ForgetSteps(int64_t run_id) {
  return InOpenRun(*state_->database, run_id, [&](Database& database) {
    ASSIGN_OR_RETURN(Statement remove,
                     database.Prepare("DELETE FROM steps WHERE run_id = ?"));
    return remove.Bind(run_id).Run();
  });
}

Status Store::AddMemory(int64_t run_id,
                        const std::vector<MemoryRow>& measured) {
  return InOpenRun(*state_->database, run_id, [&](Database& database) {
    return WriteMemory(database, run_id, MemoryKind::kMeasured, measured);
  });
}

Status Store::AppendGpuSamples(int64_t run_id,
                               const std::vector<GpuSample>& samples) {
  return InOpenRun(*state_->database, run_id, [&](Database& database) {
    return WriteGpuSamples(database, run_id, samples);
  });
}

Status Store::AddArtifacts(int64_t run_id,
                           const std::vector<ArtifactRow>& artifacts) {
  return InOpenRun(*state_->database, run_id, [&](Database& database) {
    return WriteArtifacts(database, run_id, artifacts);
  });
}

Status Store::AddFindings(int64_t sweep_id, int64_t run_id,
                          const std::vector<FindingRow>& findings) {
  return InTransaction(*state_->database, [&](Database& database) {
    return WriteFindings(database, sweep_id, run_id, findings);
  });
}

Status Store::AddChecks(int64_t sweep_id, int64_t run_id,
                        const std::vector<CheckRow>& checks) {
  return InTransaction(*state_->database, [&](Database& database) {
    return WriteChecks(database, sweep_id, run_id, checks);
  });
}

Status Store::AddNodeAnswers(int64_t sweep_id, int64_t experiment_id,
                             const NodeAnswers& answers) {
  return InTransaction(*state_->database, [&](Database& database) {
    RETURN_IF_ERROR(
        WriteChecks(database, sweep_id, /*run_id=*/0, answers.checks));
    return experiment_id == 0
               ? OkStatus()
               : SetExperimentKey(database, experiment_id, answers.key,
                                  answers.key_parts_json);
  });
}

Status Store::PromoteBaseline(const BaselineRow& baseline) {
  ASSIGN_OR_RETURN(const RunRow run, reader().Run(baseline.run_id));
  if (!run.outcome || run.outcome->measurement != MeasurementState::kValid) {
    return FailedPreconditionError(
        "run " + std::to_string(run.id) +
        " has no valid measurement; a baseline needs one");
  }
  if (baseline.reason.empty()) {
    return InvalidArgumentError("a baseline needs a reason");
  }
  return InTransaction(*state_->database, [&](Database& database) {
    return WriteBaseline(database, baseline);
  });
}

Status Store::AddNoiseFloor(const NoiseFloor& floor) {
  return InTransaction(*state_->database, [&](Database& database) {
    return WriteNoiseFloor(database, floor);
  });
}

}  // namespace zs::results
