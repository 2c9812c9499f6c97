#include "results/store/rows.h"

#include <cmath>
#include <optional>
#include <string>

#include "results/store/mask.h"

namespace zs::results {
namespace {

bool IsNan(const std::optional<double>& value) {
  return value.has_value() && std::isnan(*value);
}

Status WriteComm(Database& database, int64_t run_id, const StepRow& step) {
  ASSIGN_OR_RETURN(Statement insert,
                   database.Prepare("INSERT OR REPLACE INTO collectives"
                                    " (run_id, step, op, calls, bytes, ms,"
                                    " size_bytes, algbw_gb_s, busbw_gb_s,"
                                    " wrong, in_place)"
                                    " VALUES (?,?,?,?,?,?,?,?,?,?,?)"));
  for (const CommRow& comm : step.comm) {
    RETURN_IF_ERROR(insert
                        .Bind(run_id, step.step, comm.op, comm.calls,
                              comm.bytes, comm.ms, comm.size_bytes,
                              comm.algbw_gb_s, comm.busbw_gb_s, comm.wrong,
                              comm.in_place)
                        .Run());
  }
  return OkStatus();
}

std::optional<int64_t> IdOrNull(int64_t id) {
  return id == 0 ? std::nullopt : std::optional<int64_t>(id);
}

// kNotFound where there is no such run; kFailedPrecondition where it is
// finished.
Status CheckRunIsOpen(Database& database, int64_t run_id) {
  ASSIGN_OR_RETURN(
      Statement find,
      database.Prepare("SELECT process IS NULL FROM runs WHERE id = ?"));
  ASSIGN_OR_RETURN(const bool found, find.Bind(run_id).Step());
  const std::string name = database.path() + ": run " + std::to_string(run_id);
  if (!found) {
    return NotFoundError(name + " is not there");
  }
  int open = 0;
  find.Read(open);
  return open != 0 ? OkStatus()
                   : FailedPreconditionError(name + " is finished already");
}

}  // namespace

Status InTransaction(Database& database,
                     const std::function<Status(Database&)>& write) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  RETURN_IF_ERROR(write(database));
  return transaction.Commit();
}

Status InOpenRun(Database& database, int64_t run_id,
                 const std::function<Status(Database&)>& write) {
  return InTransaction(database, [&](Database& open) {
    RETURN_IF_ERROR(CheckRunIsOpen(open, run_id));
    return write(open);
  });
}

Status WriteEffective(Database& database, int64_t run_id, const Effective& e) {
  ASSIGN_OR_RETURN(const std::string versions,
                   MaskJson(e.versions_json, "versions_json"));
  ASSIGN_OR_RETURN(
      Statement update,
      database.Prepare(
          "UPDATE runs SET zero_effective = ?, world_size_effective = ?,"
          " accumulation = ?, parameters = ?, threads_per_rank = ?,"
          " device = ?, versions_json = ? WHERE id = ?"));
  return update
      .Bind(e.zero_stage, e.world_size, e.accumulation, e.parameters,
            e.threads_per_rank, e.device, versions, run_id)
      .Run();
}

Status WriteNodes(Database& database, int64_t run_id,
                  const std::vector<NodeRow>& nodes) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare("INSERT OR REPLACE INTO nodes (run_id, node_rank, host,"
                       " ranks, hardware_json, contained_by, in_effect,"
                       " other_cpu_pct, clean, left_processes, left_shm_bytes,"
                       " left_gpu_bytes, ports_busy, clean_up_note)"
                       " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  for (const NodeRow& node : nodes) {
    ASSIGN_OR_RETURN(const std::string hardware,
                     MaskJson(node.hardware_json, "hardware_json"));
    RETURN_IF_ERROR(insert
                        .Bind(run_id, node.node_rank, node.host, node.ranks,
                              hardware, node.contained_by,
                              MaskSecrets(node.in_effect), node.other_cpu_pct,
                              node.clean, node.left_processes,
                              node.left_shm_bytes, node.left_gpu_bytes,
                              node.ports_busy, MaskSecrets(node.clean_up_note))
                        .Run());
  }
  return OkStatus();
}

Status UpdateReceipt(Database& database, int64_t run_id, const NodeRow& node) {
  ASSIGN_OR_RETURN(
      Statement update,
      database.Prepare("UPDATE nodes SET clean = ?, left_processes = ?,"
                       " left_shm_bytes = ?, left_gpu_bytes = ?,"
                       " ports_busy = ?, clean_up_note = ?"
                       " WHERE run_id = ? AND node_rank = ?"
                       " RETURNING node_rank"));
  ASSIGN_OR_RETURN(
      const bool found,
      update
          .Bind(node.clean, node.left_processes, node.left_shm_bytes,
                node.left_gpu_bytes, node.ports_busy,
                MaskSecrets(node.clean_up_note), run_id, node.node_rank)
          .Step());
  return found
             ? OkStatus()
             : NotFoundError("run " + std::to_string(run_id) + " has no node " +
                             std::to_string(node.node_rank));
}

Status WriteRanks(Database& database, int64_t run_id,
                  const std::vector<RankRow>& ranks) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare(
          "INSERT INTO ranks (run_id, rank, node_rank, local_rank, pid,"
          " exit_status, exit_signal, reason) VALUES (?,?,?,?,?,?,?,?)"
          " ON CONFLICT (run_id, rank) DO UPDATE SET"
          " node_rank = excluded.node_rank, local_rank = excluded.local_rank,"
          " pid = coalesce(excluded.pid, pid),"
          " exit_status = coalesce(excluded.exit_status, exit_status),"
          " exit_signal = coalesce(excluded.exit_signal, exit_signal),"
          " reason = iif(excluded.reason = '', reason, excluded.reason)"));
  for (const RankRow& rank : ranks) {
    RETURN_IF_ERROR(insert
                        .Bind(run_id, rank.rank, rank.node_rank,
                              rank.local_rank, rank.pid, rank.exit_status,
                              rank.exit_signal, MaskSecrets(rank.reason))
                        .Run());
  }
  return OkStatus();
}

Status WriteSteps(Database& database, int64_t run_id,
                  const std::vector<StepRow>& steps) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare(
          "INSERT OR REPLACE INTO steps (run_id, step, step_ms,"
          " comm_exposed_ms, tokens, loss, grad_norm, lr, data_ms, forward_ms,"
          " backward_ms, optimizer_ms, mark, loss_nan, grad_norm_nan)"
          " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  for (const StepRow& s : steps) {
    insert.Bind(run_id, s.step, s.step_ms, s.comm_exposed_ms, s.tokens, s.loss,
                s.grad_norm, s.lr, s.data_ms, s.forward_ms, s.backward_ms,
                s.optimizer_ms, s.mark, int{IsNan(s.loss)},
                int{IsNan(s.grad_norm)});
    RETURN_IF_ERROR(insert.Run());
    RETURN_IF_ERROR(WriteComm(database, run_id, s));
  }
  return OkStatus();
}

Status WriteMemory(Database& database, int64_t run_id, MemoryKind kind,
                   const std::vector<MemoryRow>& rows) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare(
          "INSERT OR REPLACE INTO memory (run_id, kind, rank, parameters,"
          " gradients, optimizer, activations, logits, workspace,"
          " communication, total) VALUES (?,?,?,?,?,?,?,?,?,?,?)"));
  for (const MemoryRow& m : rows) {
    RETURN_IF_ERROR(insert
                        .Bind(run_id, Name(kind), m.rank, m.parameters,
                              m.gradients, m.optimizer, m.activations, m.logits,
                              m.workspace, m.communication, m.total)
                        .Run());
  }
  return OkStatus();
}

Status WriteTheory(Database& database, int64_t run_id,
                   const std::vector<CommTheory>& theory) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare("INSERT INTO comm_theory (run_id, op, bytes_per_step)"
                       " VALUES (?,?,?)"));
  for (const CommTheory& t : theory) {
    RETURN_IF_ERROR(insert.Bind(run_id, t.op, t.bytes_per_step).Run());
  }
  return OkStatus();
}

Status WritePredictions(Database& database, int64_t run_id,
                        const std::vector<PredictionRow>& predictions) {
  ASSIGN_OR_RETURN(Statement insert,
                   database.Prepare("INSERT INTO predictions (run_id, term,"
                                    " value, profile) VALUES (?,?,?,?)"));
  for (const PredictionRow& p : predictions) {
    RETURN_IF_ERROR(insert.Bind(run_id, p.term, p.value, p.profile).Run());
  }
  return OkStatus();
}

Status WriteGpuSamples(Database& database, int64_t run_id,
                       const std::vector<GpuSample>& samples) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare(
          "INSERT OR REPLACE INTO gpu_samples (run_id, node_rank, gpu,"
          " at_unix_ms, util_pct, power_w, temp_c, sm_clock_mhz,"
          " mem_used_bytes, power_cap_w, ecc_errors, throttle_reasons,"
          " step) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  for (const GpuSample& s : samples) {
    RETURN_IF_ERROR(insert
                        .Bind(run_id, s.node_rank, s.gpu, s.at_unix_ms,
                              s.util_pct, s.power_w, s.temp_c, s.sm_clock_mhz,
                              s.mem_used_bytes, s.power_cap_w, s.ecc_errors,
                              s.throttle_reasons, s.step)
                        .Run());
  }
  return OkStatus();
}

Status WriteArtifacts(Database& database, int64_t run_id,
                      const std::vector<ArtifactRow>& artifacts) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare("INSERT OR REPLACE INTO artifacts (run_id, path, kind,"
                       " bytes, sha256) VALUES (?,?,?,?,?)"));
  for (const ArtifactRow& a : artifacts) {
    RETURN_IF_ERROR(
        insert.Bind(run_id, a.path, a.kind, a.bytes, a.sha256).Run());
  }
  return OkStatus();
}

Status WriteFindings(Database& database, int64_t sweep_id, int64_t run_id,
                     const std::vector<FindingRow>& findings) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare(
          "INSERT INTO findings (sweep_id, run_id, code, severity, node, rank,"
          " message, hint, evidence, count, at_unix_ms)"
          " VALUES (?,?,?,?,?,?,?,?,?,?,?)"));
  for (const FindingRow& f : findings) {
    insert.Bind(sweep_id, IdOrNull(run_id), f.code, Name(f.severity), f.node,
                f.rank, MaskSecrets(f.message), f.hint, MaskSecrets(f.evidence),
                f.count, f.at_unix_ms);
    RETURN_IF_ERROR(insert.Run());
  }
  return OkStatus();
}

Status WriteChecks(Database& database, int64_t sweep_id, int64_t run_id,
                   const std::vector<CheckRow>& checks) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare("INSERT INTO checks (sweep_id, run_id, name, node,"
                       " status, found, allowed, hint, at_unix_ms)"
                       " VALUES (?,?,?,?,?,?,?,?,?)"));
  for (const CheckRow& c : checks) {
    insert.Bind(sweep_id, IdOrNull(run_id), c.name, c.node, Name(c.status),
                MaskSecrets(c.found), c.allowed, c.hint, c.at_unix_ms);
    RETURN_IF_ERROR(insert.Run());
  }
  return OkStatus();
}

Status WriteBaseline(Database& database, const BaselineRow& baseline) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare("INSERT INTO baselines (run_id, reason, author,"
                       " at_unix_ms) VALUES (?,?,?,?)"));
  insert.Bind(baseline.run_id, MaskSecrets(baseline.reason), baseline.author,
              baseline.at_unix_ms);
  return insert.Run();
}

Status WriteNoiseFloor(Database& database, const NoiseFloor& floor) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare("INSERT INTO noise_floors (sweep_id, experiment,"
                       " hosts_json, device, runs, run_deviation, at_unix_ms)"
                       " VALUES (?,?,?,?,?,?,?)"));
  insert.Bind(floor.sweep_id, floor.experiment, floor.hosts_json, floor.device,
              int64_t{floor.runs}, floor.run_deviation, floor.at_unix_ms);
  return insert.Run();
}

}  // namespace zs::results
