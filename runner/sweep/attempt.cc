#include "runner/sweep/attempt.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/hash.h"
#include "base/json.h"
#include "engine/api/footprint.h"
#include "engine/api/layout.h"
#include "runner/backend/engine_backend.h"
#include "runner/backend/engine_observer.h"
#include "runner/supervise/supervise.h"
#include "runner/sweep/judge.h"
#include "runner/sweep/node_checks.h"
#include "runner/sweep/places.h"
#include "runner/sweep/step_recorder.h"
#include "runner/sweep/verify_load.h"

namespace zs {
namespace {

// Unique for each attempt on this host and, with high probability, elsewhere.
std::string MakeToken(const std::string& folder, const Clock& clock) {
  return "zs-" + Sha256Hex(folder + "/" + std::to_string(clock.unix_ms()) +
                           "/" + std::to_string(clock.monotonic_ns()) + "/" +
                           std::to_string(::getpid()))
                     .substr(0, 24);
}

results::MemoryRow RowOf(int rank, const MemoryBytes& memory) {
  return {.rank = rank,
          .parameters = memory.parameters,
          .gradients = memory.gradients,
          .optimizer = memory.optimizer,
          .activations = memory.activations,
          .logits = memory.logits,
          .workspace = memory.workspace,
          .communication = memory.communication,
          .total = memory.total};
}

Result<int64_t> BeginRun(SweepTools& tools, const AttemptRequest& request,
                         const std::string& token) {
  const Experiment& experiment = request.experiment;
  const RunConfig config = EngineConfig(experiment);
  const int world_size = experiment.world_size();
  results::RunStart start;
  start.experiment_id = request.experiment_id;
  start.repeat = request.repeat;
  start.token = token;
  start.started_unix_ms = tools.clock.unix_ms();
  start.environment_json = tools.environment_json;
  start.mem_predicted = RowOf(0, PredictMemory(config, world_size));
  for (const CommUse& use : CommTheory(config, world_size)) {
    start.comm_theory.push_back({.op = use.op, .bytes_per_step = use.bytes});
  }
  ASSIGN_OR_RETURN(const int64_t run_id, tools.store.BeginRun(start));
  // Known from the start, so that `logs -f` finds what is being written.
  RETURN_IF_ERROR(tools.store.AddArtifacts(
      run_id, {{.kind = "folder", .path = request.folder}}));
  return run_id;
}

Status RecordEffective(SweepTools& tools, int64_t run_id,
                       const Measured& measured, const RunRecord& record) {
  if (record.starts.empty()) {
    return OkStatus();
  }
  const StartEvent& first = record.starts.begin()->second;
  results::Effective effective;
  effective.zero_stage = measured.zero_stage;
  effective.world_size = measured.world_size;
  effective.accumulation = first.accumulation;
  effective.parameters = first.parameters;
  effective.threads_per_rank = first.threads;
  effective.device = first.device;
  effective.versions_json = DumpJson(Json(first.versions));
  return tools.store.SetEffective(run_id, effective);
}

Status RecordRanks(SweepTools& tools, int64_t run_id,
                   const AttemptRequest& request, const RunOutcome& ended) {
  const int per_node = request.experiment.topology.ranks_per_node;
  std::vector<results::RankRow> rows;
  std::vector<results::ArtifactRow> logs;
  for (const RankExit& exit : ended.ranks) {
    results::RankRow row;
    row.rank = exit.rank;
    row.node_rank = exit.rank / per_node;
    row.local_rank = exit.rank % per_node;
    if (exit.pid > 0) {
      row.pid = exit.pid;
    }
    if (exit.ended) {
      row.exit_status = exit.exit_code;
      row.exit_signal = exit.signal;
    }
    row.reason = exit.HowItEnded();
    rows.push_back(std::move(row));
    logs.push_back(
        {.kind = "log",
         .path = request.folder + "/rank" + std::to_string(exit.rank) + ".log",
         .bytes = exit.output_bytes - exit.dropped_bytes});
  }
  RETURN_IF_ERROR(tools.store.AddRanks(run_id, rows));
  return tools.store.AddArtifacts(run_id, logs);
}

Status RecordNodes(SweepTools& tools, int64_t run_id,
                   const AttemptRequest& request, const RunOutcome& ended) {
  std::vector<results::NodeRow> rows;
  const Topology& topology = request.experiment.topology;
  for (size_t i = 0; i < topology.nodes.size(); ++i) {
    results::NodeRow row{.node_rank = static_cast<int>(i),
                         .host = topology.nodes[i],
                         .ranks = topology.ranks_per_node};
    for (const CleanupReceipt& receipt : ended.clean_up) {
      if (receipt.node == row.host) {
        row.contained_by = receipt.containment;
      }
    }
    rows.push_back(std::move(row));
  }
  return tools.store.AddNodes(run_id, rows);
}

Status RecordMemory(SweepTools& tools, int64_t run_id,
                    const RunRecord& record) {
  std::vector<results::MemoryRow> rows;
  for (const auto& [rank, memory] : record.mem_peak_bytes) {
    rows.push_back(RowOf(rank, memory));
  }
  return tools.store.AddMemory(run_id, rows);
}

std::vector<results::FindingRow> FindingsOf(const AttemptResult& result,
                                            int64_t now_unix_ms) {
  std::vector<results::FindingRow> findings;
  for (const auto& [rank, error] : result.record.errors) {
    const bool first = result.record.first_error_rank == rank;
    findings.push_back({.code = error.code,
                        .severity = first ? results::Severity::kError
                                          : results::Severity::kInfo,
                        .rank = rank,
                        .message = error.message,
                        .at_unix_ms = now_unix_ms});
  }
  for (const std::string& note : result.ended.notes) {
    findings.push_back({.code = "supervisor_note",
                        .severity = results::Severity::kWarning,
                        .message = note,
                        .at_unix_ms = now_unix_ms});
  }
  return findings;
}

// Everything but the final state.
Status RecordDetails(SweepTools& tools, const AttemptRequest& request,
                     const AttemptResult& result) {
  RETURN_IF_ERROR(
      RecordEffective(tools, result.run_id, result.measured, result.record));
  RETURN_IF_ERROR(RecordRanks(tools, result.run_id, request, result.ended));
  RETURN_IF_ERROR(RecordNodes(tools, result.run_id, request, result.ended));
  RETURN_IF_ERROR(RecordMemory(tools, result.run_id, result.record));
  return tools.store.AddFindings(request.sweep_id, result.run_id,
                                 FindingsOf(result, tools.clock.unix_ms()));
}

// One set of processes: where it runs and what it saves and loads.
struct Launch {
  std::string folder;
  CheckpointConfig checkpoint;
};

// Starts the processes and watches them to their end.
RunOutcome Carry(SweepTools& tools, const Experiment& experiment,
                 const Launch& launch, const std::string& token,
                 EngineObserver& observer) {
  const auto places = PreparePlaces(
      {.experiment = experiment,
       .engine_path = tools.engine_path,
       .folder = launch.folder,
       .checkpoint = launch.checkpoint,
       .token = token,
       .seed = static_cast<uint64_t>(tools.clock.monotonic_ns() / 1000)},
      tools.agents);
  if (!places.ok()) {
    RunOutcome ended;
    ended.cause = "not_prepared";
    ended.reason = places.status().message();
    return ended;
  }
  return Supervise(EngineRequest(experiment, *places), tools.agents, observer,
                   tools.stop);
}

// Goes on from the run's last checkpoint with another set of processes and
// compares; what the check found.
Status VerifyLoad(SweepTools& tools, const AttemptRequest& request,
                  const AttemptResult& result) {
  const auto saved = CheckpointToLoad(result.record);
  if (!saved.has_value()) {
    return NotFoundError("no checkpoint was saved before the last step");
  }
  Launch launch;
  launch.folder = request.folder + "/verify_load";
  launch.checkpoint.load_dir = saved->dir;
  EngineObserver observer([](const Event&) {});
  const RunOutcome ended =
      Carry(tools, request.experiment, launch,
            MakeToken(launch.folder, tools.clock), observer);
  if (ended.state != ProcessState::kExited) {
    return FailedPreconditionError("the run that loads failed: " +
                                   ended.reason);
  }
  return CompareResumed(result.record, observer.record(), saved->step);
}

Status RecordVerifyLoad(SweepTools& tools, const AttemptRequest& request,
                        AttemptResult& result) {
  const Status verified = VerifyLoad(tools, request, result);
  if (!verified.ok()) {
    result.outcome.verdict = results::Verdict::kFail;
    result.outcome.verdict_reason =
        "checkpoint.verify_load: " + verified.message();
  }
  return tools.store.AddChecks(
      request.sweep_id, result.run_id,
      {{.name = "checkpoint.verify_load",
        .status = verified.ok() ? results::CheckStatus::kPass
                                : results::CheckStatus::kFail,
        .found = verified.ok() ? "losses and parameters equal, bit by bit"
                               : verified.message(),
        .allowed = "equal",
        .at_unix_ms = tools.clock.unix_ms()}});
}

}  // namespace

Result<AttemptResult> RunAttempt(SweepTools& tools,
                                 const AttemptRequest& request) {
  const Experiment& experiment = request.experiment;
  const std::string token = MakeToken(request.folder, tools.clock);
  AttemptResult result;
  ASSIGN_OR_RETURN(result.run_id, BeginRun(tools, request, token));
  tools.progress.RunStarted(experiment, request.repeat, request.attempt);

  StepRecorder recorder(tools.store, result.run_id, tools.clock);
  EngineObserver observer([&](const Event& event) {
    if (const auto* step = std::get_if<StepEvent>(&event)) {
      recorder.Add(*step);
      tools.progress.Step(experiment, *step);
    }
  });
  const Launch launch{request.folder,
                      CheckpointsOf(experiment, request.folder)};
  result.ended = Carry(tools, experiment, launch, token, observer);
  result.record = observer.record();
  result.measured = Measure(result.record, experiment.train.warmup_steps);
  result.outcome =
      Judge(experiment, result.ended, result.measured, experiment.train.steps);
  if (experiment.checkpoint.verify_load &&
      result.outcome.verdict == results::Verdict::kPass) {
    RETURN_IF_ERROR(RecordVerifyLoad(tools, request, result));
  }
  result.outcome.ended_unix_ms = tools.clock.unix_ms();

  RETURN_IF_ERROR(RecordDetails(tools, request, result));
  RETURN_IF_ERROR(
      tools.store.FinishRun(result.run_id, recorder.Take(), result.outcome));
  tools.progress.RunEnded(experiment, result.outcome, result.measured);
  return result;
}

Status RecordRefusal(SweepTools& tools, const AttemptRequest& request,
                     const std::vector<CheckResult>& found) {
  ASSIGN_OR_RETURN(
      const int64_t run_id,
      BeginRun(tools, request, MakeToken(request.folder, tools.clock)));
  tools.progress.RunStarted(request.experiment, request.repeat,
                            request.attempt);
  const int64_t now_unix_ms = tools.clock.unix_ms();
  RETURN_IF_ERROR(tools.store.AddChecks(request.sweep_id, run_id,
                                        RowsOf(found, now_unix_ms)));
  results::RunOutcome outcome;
  outcome.process = results::ProcessState::kLost;
  outcome.process_reason = "not started: checks failed";
  outcome.measurement = results::MeasurementState::kNoData;
  outcome.measurement_reason = "nothing was started";
  outcome.verdict = results::Verdict::kFail;
  outcome.verdict_reason = "check " + FailureText(found);
  outcome.ended_unix_ms = now_unix_ms;
  RETURN_IF_ERROR(tools.store.FinishRun(run_id, {}, outcome));
  for (const CheckResult& result : found) {
    if (!IsGood(result)) {
      tools.progress.Note("check " + result.name + " " + result.node + ": " +
                          result.found + "; wanted: " + result.limit +
                          "; see: " + result.repeat);
    }
  }
  tools.progress.RunEnded(request.experiment, outcome, Measured());
  return OkStatus();
}

}  // namespace zs
