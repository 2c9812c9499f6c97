#include "results/store/reader.h"

#include <limits>
#include <utility>

#include "results/store/database.h"
#include "results/store/run_query.h"
#include "results/store/schema.h"

namespace zs::results {
namespace {

constexpr std::string_view kSweepColumns =
    "SELECT id, name, file, args_json, runner_version, host, pid, seed,"
    " started_unix_ms, ended_unix_ms, exit_code, reason FROM sweeps";

SweepRow ReadSweep(Statement& row) {
  SweepRow sweep;
  SweepStart& start = sweep.start;
  int64_t seed = 0;
  row.Read(sweep.id, start.name, start.file, start.args_json,
           start.runner_version, start.host, start.pid, seed,
           start.started_unix_ms, sweep.ended_unix_ms, sweep.exit_code,
           sweep.reason);
  start.seed = static_cast<uint64_t>(seed);
  return sweep;
}

StepRow ReadStep(Statement& row) {
  StepRow s;
  int loss_nan = 0;
  int grad_norm_nan = 0;
  row.Read(s.step, s.step_ms, s.comm_exposed_ms, s.tokens, s.loss, s.grad_norm,
           s.lr, s.data_ms, s.forward_ms, s.backward_ms, s.optimizer_ms, s.mark,
           loss_nan, grad_norm_nan);
  if (loss_nan != 0) {
    s.loss = std::numeric_limits<double>::quiet_NaN();
  }
  if (grad_norm_nan != 0) {
    s.grad_norm = std::numeric_limits<double>::quiet_NaN();
  }
  return s;
}

}  // namespace

Snapshot::~Snapshot() {
  if (database_ != nullptr) {
    (void)database_->Execute("ROLLBACK");  // nothing was written
  }
}

Snapshot::Snapshot(Snapshot&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Result<std::unique_ptr<Reader>> Reader::Open(const std::string& path) {
  auto database = Database::Open(path, Database::Mode::kReadOnly);
  if (!database.ok()) {
    return database.status().code() == StatusCode::kNotFound
               ? NotFoundError(path +
                               ": no results database; `runner FILE` makes "
                               "one, or give another with --db")
               : database.status();
  }
  ASSIGN_OR_RETURN(const int version, SchemaVersion(**database));
  const int newest = Migrations().back().version;
  if (version == 0) {
    return NotFoundError(path +
                         ": nothing is recorded yet; run an experiment file "
                         "first, or give another database with --db");
  }
  if (version != newest) {
    return FailedPreconditionError(
        path + ": schema " + std::to_string(version) +
        ", this program reads schema " + std::to_string(newest) +
        (version > newest ? "; use the newer program"
                          : "; the next `runner FILE` brings it up to date"));
  }
  Database& reference = **database;
  return std::unique_ptr<Reader>(new Reader(std::move(*database), reference));
}

Reader::Reader(Database& database) : database_(database) {}
Reader::Reader(std::unique_ptr<Database> owned, Database& database)
    : owned_(std::move(owned)), database_(database) {}
Reader::~Reader() = default;

const std::string& Reader::path() const {
  return database_.path();
}

Result<Snapshot> Reader::TakeSnapshot() const {
  RETURN_IF_ERROR(database_.Execute("BEGIN"));
  return Snapshot(database_);
}

Result<std::vector<SweepRow>> Reader::Sweeps() const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare(std::string(kSweepColumns) + " ORDER BY id"));
  return Collect(find, ReadSweep);
}

Result<SweepRow> Reader::Sweep(int64_t sweep_id) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare(std::string(kSweepColumns) + " WHERE id = ?"));
  ASSIGN_OR_RETURN(const bool found, find.Bind(sweep_id).Step());
  if (!found) {
    return NotFoundError(path() + ": no sweep " + std::to_string(sweep_id));
  }
  return ReadSweep(find);
}

Result<std::vector<ExperimentRow>> Reader::Experiments(int64_t sweep_id) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare(ExperimentQuery("e.sweep_id = ? ORDER BY e.id")));
  find.Bind(sweep_id);
  return Collect(find, ReadExperiment);
}

Result<std::vector<ExperimentRow>> Reader::NewestExperiments(
    const std::string& sweep) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare(ExperimentQuery(
          "e.id IN (SELECT max(e.id) FROM experiments AS e JOIN sweeps AS s"
          " ON s.id = e.sweep_id WHERE ?1 = '' OR s.name = ?1 GROUP BY e.name)"
          " ORDER BY e.name")));
  find.Bind(sweep);
  return Collect(find, ReadExperiment);
}

Result<std::vector<RunRow>> Reader::Runs(const RunFilter& filter) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare(RunQuery(
          "(?1 = '' OR s.name = ?1) AND (?2 = '' OR e.name GLOB ?2)"
          " AND (?3 = '' OR r.key = ?3) AND (?4 IS NULL OR r.measurement = ?4)"
          " AND (?5 IS NULL OR r.verdict = ?5)"
          " AND (?6 = 0 OR r.sweep_id = ?6)"
          " ORDER BY r.id DESC LIMIT iif(?7 = 0, -1, ?7)")));
  std::optional<std::string_view> measurement;
  if (filter.measurement) {
    measurement = Name(*filter.measurement);
  }
  std::optional<std::string_view> verdict;
  if (filter.verdict) {
    verdict = Name(*filter.verdict);
  }
  find.Bind(filter.sweep, filter.experiment, filter.key, measurement, verdict,
            filter.sweep_id, filter.limit);
  return Collect(find, ReadRun);
}

Result<RunRow> Reader::Run(int64_t run_id) const {
  ASSIGN_OR_RETURN(Statement find, database_.Prepare(RunQuery("r.id = ?")));
  ASSIGN_OR_RETURN(const bool found, find.Bind(run_id).Step());
  if (!found) {
    return NotFoundError(path() + ": no run " + std::to_string(run_id) +
                         "; `runner list` shows those there are");
  }
  return ReadRun(find);
}

Result<std::vector<RunRow>> Reader::OpenRuns() const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare(RunQuery("r.process IS NULL ORDER BY r.id")));
  return Collect(find, ReadRun);
}

Result<std::vector<StepRow>> Reader::Steps(int64_t run_id,
                                           StepWindow window) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare(
          "SELECT step, step_ms, comm_exposed_ms, tokens, loss, grad_norm, lr,"
          " data_ms, forward_ms, backward_ms, optimizer_ms, mark, loss_nan,"
          " grad_norm_nan FROM steps"
          " WHERE run_id = ? AND step BETWEEN ? AND ? ORDER BY step"));
  find.Bind(run_id, window.first, window.last);
  return Collect(find, ReadStep);
}

Result<std::vector<StepTime>> Reader::StepTimes(int64_t run_id,
                                                StepWindow window) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT step, step_ms, comm_exposed_ms, tokens"
                        " FROM steps WHERE run_id = ?"
                        " AND step BETWEEN ? AND ? AND step_ms IS NOT NULL"
                        " AND mark = ''"
                        " ORDER BY step"));
  find.Bind(run_id, window.first, window.last);
  return Collect<StepTime>(find, [](Statement& row) {
    StepTime t;
    row.Read(t.step, t.step_ms, t.comm_exposed_ms, t.tokens);
    return t;
  });
}

Result<std::vector<CommTotal>> Reader::Communication(int64_t run_id,
                                                     StepWindow window) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT op, count(*), sum(calls), sum(bytes), sum(ms)"
                        " FROM collectives WHERE run_id = ?"
                        " AND step BETWEEN ? AND ? AND size_bytes IS NULL"
                        " GROUP BY op ORDER BY op"));
  find.Bind(run_id, window.first, window.last);
  return Collect<CommTotal>(find, [](Statement& row) {
    CommTotal t;
    row.Read(t.op, t.steps, t.calls, t.bytes, t.ms);
    return t;
  });
}

Result<std::vector<CommTheory>> Reader::Theory(int64_t run_id) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT op, bytes_per_step FROM comm_theory"
                        " WHERE run_id = ? ORDER BY op"));
  find.Bind(run_id);
  return Collect<CommTheory>(find, [](Statement& row) {
    CommTheory t;
    row.Read(t.op, t.bytes_per_step);
    return t;
  });
}

Result<std::vector<MemoryRow>> Reader::Memory(int64_t run_id,
                                              MemoryKind kind) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare(
          "SELECT rank, parameters, gradients, optimizer, activations, logits,"
          " workspace, communication, total FROM memory"
          " WHERE run_id = ? AND kind = ? ORDER BY rank"));
  find.Bind(run_id, Name(kind));
  return Collect<MemoryRow>(find, [](Statement& row) {
    MemoryRow m;
    row.Read(m.rank, m.parameters, m.gradients, m.optimizer, m.activations,
             m.logits, m.workspace, m.communication, m.total);
    return m;
  });
}

Result<std::vector<NodeRow>> Reader::Nodes(int64_t run_id) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare(
          "SELECT node_rank, host, ranks, hardware_json,"
          " contained_by, in_effect, other_cpu_pct, clean, left_processes,"
          " left_shm_bytes, left_gpu_bytes, ports_busy,"
          " clean_up_note FROM nodes WHERE run_id = ? ORDER BY node_rank"));
  find.Bind(run_id);
  return Collect<NodeRow>(find, [](Statement& row) {
    NodeRow n;
    row.Read(n.node_rank, n.host, n.ranks, n.hardware_json, n.contained_by,
             n.in_effect, n.other_cpu_pct, n.clean, n.left_processes,
             n.left_shm_bytes, n.left_gpu_bytes, n.ports_busy, n.clean_up_note);
    return n;
  });
}

Result<std::vector<UncleanNode>> Reader::UncleanNodes(
    const std::string& host) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT runs.id, experiments.name, runs.token,"
                        " node_rank, host, ranks, contained_by, clean,"
                        " left_processes, clean_up_note FROM nodes"
                        " JOIN runs ON runs.id = run_id"
                        " JOIN experiments ON experiments.id = experiment_id"
                        " WHERE host = ? AND clean IS NOT 1"
                        " AND process IS NOT NULL ORDER BY runs.id"));
  find.Bind(host);
  return Collect<UncleanNode>(find, [](Statement& row) {
    UncleanNode u;
    NodeRow& n = u.node;
    row.Read(u.run_id, u.experiment, u.token, n.node_rank, n.host, n.ranks,
             n.contained_by, n.clean, n.left_processes, n.clean_up_note);
    return u;
  });
}

Result<std::vector<RankRow>> Reader::Ranks(int64_t run_id) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT rank, node_rank, local_rank, pid, exit_status,"
                        " exit_signal, reason FROM ranks WHERE run_id = ?"
                        " ORDER BY rank"));
  find.Bind(run_id);
  return Collect<RankRow>(find, [](Statement& row) {
    RankRow r;
    row.Read(r.rank, r.node_rank, r.local_rank, r.pid, r.exit_status,
             r.exit_signal, r.reason);
    return r;
  });
}

Result<std::vector<GpuSample>> Reader::GpuSamples(int64_t run_id) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare(
          "SELECT node_rank, gpu, at_unix_ms, util_pct, power_w, temp_c,"
          " sm_clock_mhz, mem_used_bytes, power_cap_w, ecc_errors,"
          " throttle_reasons, step FROM gpu_samples WHERE run_id = ? ORDER BY "
          "node_rank, gpu, at_unix_ms"));
  find.Bind(run_id);
  return Collect<GpuSample>(find, [](Statement& row) {
    GpuSample s;
    row.Read(s.node_rank, s.gpu, s.at_unix_ms, s.util_pct, s.power_w, s.temp_c,
             s.sm_clock_mhz, s.mem_used_bytes, s.power_cap_w, s.ecc_errors,
             s.throttle_reasons, s.step);
    return s;
  });
}

namespace {

CheckRow ReadCheck(Statement& row) {
  CheckRow c;
  std::string status;
  row.Read(c.name, c.node, status, c.found, c.allowed, c.hint, c.at_unix_ms);
  c.status = FromName<CheckStatus>(status).value_or(CheckStatus::kUnknown);
  return c;
}

}  // namespace

Result<std::vector<CheckRow>> Reader::Checks(int64_t sweep_id) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT name, node, status, found, allowed, hint,"
                        " at_unix_ms FROM checks WHERE sweep_id = ?"
                        " ORDER BY id"));
  find.Bind(sweep_id);
  return Collect<CheckRow>(find, ReadCheck);
}

Result<std::vector<CheckRow>> Reader::ChecksOfRun(int64_t run_id) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare(
          "SELECT c.name, c.node, c.status, c.found, c.allowed, c.hint,"
          " c.at_unix_ms FROM checks AS c, runs AS r"
          " JOIN experiments AS e ON e.id = r.experiment_id"
          " WHERE r.id = ? AND c.sweep_id = e.sweep_id AND (c.run_id = r.id OR"
          " (c.run_id IS NULL AND c.at_unix_ms <= r.started_unix_ms))"
          " ORDER BY c.id"));
  find.Bind(run_id);
  return Collect<CheckRow>(find, ReadCheck);
}

Result<std::vector<ArtifactRow>> Reader::Artifacts(int64_t run_id) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT kind, path, bytes, sha256 FROM artifacts"
                        " WHERE run_id = ? ORDER BY kind, path"));
  find.Bind(run_id);
  return Collect<ArtifactRow>(find, [](Statement& row) {
    ArtifactRow a;
    row.Read(a.kind, a.path, a.bytes, a.sha256);
    return a;
  });
}

Result<std::string> Reader::EnvironmentJson(int64_t run_id) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT n.json FROM environments AS n JOIN runs AS r"
                        " ON r.environment_id = n.id WHERE r.id = ?"));
  ASSIGN_OR_RETURN(const bool found, find.Bind(run_id).Step());
  if (!found) {
    return NotFoundError(path() + ": no run " + std::to_string(run_id));
  }
  std::string json;
  find.Read(json);
  return json;
}

}  // namespace zs::results
