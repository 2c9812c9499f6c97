#include "results/store/run_query.h"

#include "base/json.h"

namespace zs::results {
namespace {

constexpr std::string_view kExperimentColumns =
    "e.name, e.key, e.key_parts_json, e.spec_json, e.needs_json, e.backend,"
    " e.model, e.zero_requested, e.world_size_requested, e.ranks_per_node,"
    " e.micro_batch, e.global_batch, e.seq_len, e.steps_requested,"
    " e.warmup_steps, e.dtype";

constexpr std::string_view kRunColumns =
    ", r.id, r.sweep_id, r.experiment_id, s.name, r.attempt, r.repeat,"
    " r.token, r.started_unix_ms, r.ended_unix_ms, r.zero_effective,"
    " r.world_size_effective, r.accumulation, r.parameters,"
    " r.threads_per_rank, r.device, r.versions_json,"
    " (SELECT count(*) FROM steps AS t WHERE t.run_id = r.id), r.process,"
    " r.process_reason, r.measurement, r.measurement_reason, r.verdict,"
    " r.verdict_reason, r.exit_status, r.final_loss, r.parameters_sha256,"
    " r.nccl_health";

// Reads kExperimentColumns, the first ones of both queries.
Experiment ReadAsked(Statement& row) {
  Experiment e;
  std::string needs;
  row.Read(e.name, e.key, e.key_parts_json, e.spec_json, needs, e.backend,
           e.model, e.zero_requested, e.world_size, e.ranks_per_node,
           e.micro_batch, e.global_batch, e.seq_len, e.steps, e.warmup_steps,
           e.dtype);
  const Result<Json> names = ParseJson(needs);
  if (names.ok() && names->is_array()) {
    for (const Json& name : *names) {
      if (name.is_string()) {
        e.needs.push_back(name.get<std::string>());
      }
    }
  }
  return e;
}

// Reads the columns from r.process on; nothing while the run goes on.
std::optional<RunOutcome> ReadOutcome(Statement& row) {
  RunOutcome o;
  std::string process;
  std::string measurement;
  std::string verdict;
  row.ReadMore(process, o.process_reason, measurement, o.measurement_reason,
               verdict, o.verdict_reason, o.exit_status, o.final_loss,
               o.parameters_sha256, o.nccl_health);
  if (process.empty()) {
    return std::nullopt;
  }
  o.process = FromName<ProcessState>(process).value_or(ProcessState::kLost);
  o.measurement = FromName<MeasurementState>(measurement)
                      .value_or(MeasurementState::kNoData);
  o.verdict = FromName<Verdict>(verdict).value_or(Verdict::kUndecided);
  return o;
}

}  // namespace

std::string RunQuery(std::string_view condition) {
  return "SELECT " + std::string(kExperimentColumns) +
         std::string(kRunColumns) +
         " FROM runs AS r JOIN experiments AS e ON e.id = r.experiment_id"
         " JOIN sweeps AS s ON s.id = r.sweep_id WHERE " +
         std::string(condition);
}

RunRow ReadRun(Statement& row) {
  RunRow run;
  run.experiment = ReadAsked(row);
  Effective& e = run.effective;
  row.ReadMore(run.id, run.sweep_id, run.experiment_id, run.sweep, run.attempt,
               run.repeat, run.token, run.started_unix_ms, run.ended_unix_ms,
               e.zero_stage, e.world_size, e.accumulation, e.parameters,
               e.threads_per_rank, e.device, e.versions_json,
               run.steps_recorded);
  run.outcome = ReadOutcome(row);
  if (run.outcome) {
    run.outcome->ended_unix_ms = run.ended_unix_ms.value_or(0);
  }
  return run;
}

std::string ExperimentQuery(std::string_view condition) {
  return "SELECT " + std::string(kExperimentColumns) +
         ", e.id, e.sweep_id, e.not_run, e.not_run_reason, e.cached_run_id,"
         " (SELECT max(r.id) FROM runs AS r WHERE r.experiment_id = e.id)"
         " FROM experiments AS e JOIN sweeps AS s ON s.id = e.sweep_id WHERE " +
         std::string(condition);
}

ExperimentRow ReadExperiment(Statement& row) {
  ExperimentRow experiment;
  experiment.experiment = ReadAsked(row);
  std::string not_run;
  row.ReadMore(experiment.id, experiment.sweep_id, not_run,
               experiment.not_run_reason, experiment.cached_run_id,
               experiment.newest_run_id);
  experiment.not_run = FromName<NotRun>(not_run);
  return experiment;
}

}  // namespace zs::results
