#include "results/store/run_rows.h"

#include <algorithm>
#include <string>

#include "base/hash.h"
#include "base/json.h"
#include "results/store/mask.h"

namespace zs::results {
namespace {

Result<int64_t> EnvironmentId(Database& database, const std::string& json) {
  ASSIGN_OR_RETURN(const std::string masked,
                   MaskJson(json, "environment_json"));
  const std::string digest = Sha256Hex(masked);
  {
    ASSIGN_OR_RETURN(
        Statement insert,
        database.Prepare("INSERT INTO environments (sha256, json) VALUES (?,?)"
                         " ON CONFLICT (sha256) DO NOTHING"));
    RETURN_IF_ERROR(insert.Bind(digest, masked).Run());
  }
  ASSIGN_OR_RETURN(
      Statement find,
      database.Prepare("SELECT id FROM environments WHERE sha256 = ?"));
  RETURN_IF_ERROR(find.Bind(digest).Step());
  int64_t id = 0;
  find.Read(id);
  return id;
}

struct ExperimentKey {
  int64_t sweep_id = 0;
  std::string key;
};

Result<ExperimentKey> KeyOf(Database& database, int64_t experiment_id) {
  ASSIGN_OR_RETURN(
      Statement find,
      database.Prepare("SELECT sweep_id, key FROM experiments WHERE id = ?"));
  ASSIGN_OR_RETURN(const bool found, find.Bind(experiment_id).Step());
  if (!found) {
    return NotFoundError(database.path() + ": no experiment " +
                         std::to_string(experiment_id));
  }
  ExperimentKey key;
  find.Read(key.sweep_id, key.key);
  return key;
}

Result<int> NextAttempt(Database& database, const ExperimentKey& key) {
  ASSIGN_OR_RETURN(
      Statement find,
      database.Prepare("SELECT coalesce(max(attempt), 0) + 1 FROM runs"
                       " WHERE sweep_id = ? AND key = ?"));
  RETURN_IF_ERROR(find.Bind(key.sweep_id, key.key).Step());
  int attempt = 0;
  find.Read(attempt);
  return attempt;
}

// The end of RUN's last step on record, which is the last that is known of it;
// who finds it may come days later.
Result<int64_t> LastKnownUnixMs(Database& database, const RunRow& run,
                                int64_t now_unix_ms) {
  ASSIGN_OR_RETURN(Statement find,
                   database.Prepare("SELECT CAST(total(step_ms) AS INTEGER)"
                                    " FROM steps WHERE run_id = ?"));
  ASSIGN_OR_RETURN(const bool found, find.Bind(run.id).Step());
  int64_t trained_ms = 0;
  if (found) {
    find.Read(trained_ms);
  }
  return std::clamp(run.started_unix_ms + trained_ms, run.started_unix_ms,
                    std::max(run.started_unix_ms, now_unix_ms));
}

RunOutcome LostOutcome(const RunRow& run, int64_t ended_unix_ms) {
  RunOutcome outcome;
  outcome.process = ProcessState::kLost;
  outcome.process_reason = "runner died";
  outcome.measurement = run.steps_recorded > 0 ? MeasurementState::kIncomplete
                                               : MeasurementState::kNoData;
  outcome.measurement_reason =
      std::to_string(run.steps_recorded) + " steps recorded before that";
  outcome.verdict_reason = "runner died";
  outcome.ended_unix_ms = ended_unix_ms;
  return outcome;
}

}  // namespace

Result<int64_t> InsertExperiment(Database& database, int64_t sweep_id,
                                 const Experiment& e) {
  ASSIGN_OR_RETURN(const std::string parts,
                   MaskJson(e.key_parts_json, "key_parts_json"));
  ASSIGN_OR_RETURN(const std::string spec, MaskJson(e.spec_json, "spec_json"));
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare(
          "INSERT INTO experiments (sweep_id, name, key, key_parts_json,"
          " spec_json, needs_json, backend, model, zero_requested,"
          " world_size_requested, ranks_per_node, micro_batch, global_batch,"
          " seq_len, steps_requested, warmup_steps, dtype)"
          " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  insert.Bind(sweep_id, e.name, e.key, parts, spec, DumpJson(Json(e.needs)),
              e.backend, e.model, e.zero_requested, e.world_size,
              e.ranks_per_node, e.micro_batch, e.global_batch, e.seq_len,
              e.steps, e.warmup_steps, e.dtype);
  RETURN_IF_ERROR(insert.Run().WithContext("experiment '" + e.name + "'"));
  return database.last_insert_id();
}

// The id of the environment that JSON describes; recorded when it is new.
Status SetExperimentKey(Database& database, int64_t experiment_id,
                        const std::string& key,
                        const std::string& key_parts_json) {
  RETURN_IF_ERROR(KeyOf(database, experiment_id));
  ASSIGN_OR_RETURN(const std::string parts,
                   MaskJson(key_parts_json, "key_parts_json"));
  ASSIGN_OR_RETURN(Statement update,
                   database.Prepare("UPDATE experiments SET key = ?,"
                                    " key_parts_json = ? WHERE id = ?"));
  return update.Bind(key, parts, experiment_id).Run();
}

Status SetExperimentNotRun(Database& database, int64_t experiment_id,
                           NotRun state, const std::string& reason,
                           int64_t cached_run_id) {
  RETURN_IF_ERROR(KeyOf(database, experiment_id));
  ASSIGN_OR_RETURN(
      Statement update,
      database.Prepare("UPDATE experiments SET not_run = ?,"
                       " not_run_reason = ?, cached_run_id = nullif(?, 0)"
                       " WHERE id = ?"));
  return update
      .Bind(Name(state), MaskSecrets(reason), cached_run_id, experiment_id)
      .Run();
}

Result<int64_t> InsertRun(Database& database, const RunStart& start) {
  ASSIGN_OR_RETURN(const ExperimentKey key,
                   KeyOf(database, start.experiment_id));
  ASSIGN_OR_RETURN(const int64_t environment,
                   EnvironmentId(database, start.environment_json));
  int attempt = start.attempt;
  if (attempt == 0) {
    ASSIGN_OR_RETURN(attempt, NextAttempt(database, key));
  }
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare("INSERT INTO runs (experiment_id, sweep_id, key,"
                       " attempt, repeat, token, environment_id,"
                       " started_unix_ms) VALUES (?,?,?,?,?,?,?,?)"));
  insert.Bind(start.experiment_id, key.sweep_id, key.key, attempt, start.repeat,
              start.token, environment, start.started_unix_ms);
  RETURN_IF_ERROR(insert.Run());
  return database.last_insert_id();
}

Status WriteOutcome(Database& database, int64_t run_id,
                    const RunOutcome& outcome) {
  ASSIGN_OR_RETURN(
      Statement update,
      database.Prepare(
          "UPDATE runs SET process = ?, process_reason = ?, measurement = ?,"
          " measurement_reason = ?, verdict = ?, verdict_reason = ?,"
          " ended_unix_ms = ?, exit_status = ?, final_loss = ?,"
          " parameters_sha256 = ?, nccl_health = ? WHERE id = ?"));
  return update
      .Bind(Name(outcome.process), MaskSecrets(outcome.process_reason),
            Name(outcome.measurement), MaskSecrets(outcome.measurement_reason),
            Name(outcome.verdict), MaskSecrets(outcome.verdict_reason),
            outcome.ended_unix_ms, outcome.exit_status, outcome.final_loss,
            outcome.parameters_sha256, outcome.nccl_health, run_id)
      .Run();
}

Status CloseLostRun(Database& database, RunRow& run, int64_t now_unix_ms) {
  ASSIGN_OR_RETURN(run.ended_unix_ms,
                   LastKnownUnixMs(database, run, now_unix_ms));
  run.outcome = LostOutcome(run, *run.ended_unix_ms);
  return WriteOutcome(database, run.id, *run.outcome);
}

}  // namespace zs::results
