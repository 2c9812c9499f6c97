#include "runner/sweep/attempt.h"

#include <unistd.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/hash.h"
#include "runner/backend/driver.h"
#include "runner/backend/drivers.h"
#include "runner/backend/verify_load.h"
#include "runner/supervise/supervise.h"
#include "runner/sweep/gpu_recorder.h"
#include "runner/sweep/judge.h"
#include "runner/sweep/node_checks.h"
#include "runner/sweep/record_run.h"
#include "runner/sweep/step_recorder.h"

namespace zs {
namespace {

// Unique for each attempt on this host and, with high probability, elsewhere.
std::string MakeToken(const std::string& folder, const Clock& clock) {
  return "zs-" + Sha256Hex(folder + "/" + std::to_string(clock.unix_ms()) +
                           "/" + std::to_string(clock.monotonic_ns()) + "/" +
                           std::to_string(::getpid()))
                     .substr(0, 24);
}

// NODES: until it is known what is left there, they count as not clean.
Result<int64_t> BeginRun(SweepTools& tools, const AttemptRequest& request,
                         const std::string& token,
                         std::vector<results::NodeRow> nodes) {
  results::RunStart start;
  start.experiment_id = request.experiment_id;
  start.repeat = request.repeat;
  start.token = token;
  start.started_unix_ms = tools.clock.unix_ms();
  start.environment_json = tools.environment_json;
  start.predictions = request.predictions;
  const BackendDriver* const driver = DriverOf(request.experiment.backend);
  if (driver != nullptr) {
    Prediction prediction = driver->Predict(request.experiment);
    start.mem_predicted = prediction.memory;
    start.comm_theory = std::move(prediction.comm);
  }
  start.nodes = std::move(nodes);
  // Known from the start, so that `logs -f` finds what is being written.
  start.artifacts = {{.kind = "folder", .path = request.folder}};
  return tools.store.BeginRun(start);
}

RunOutcome NotPrepared(std::string reason) {
  RunOutcome ended;
  ended.cause = "not_prepared";
  ended.reason = std::move(reason);
  return ended;
}

// Passes a run's output on to its backend and keeps the samples of its GPUs.
class RecordingObserver final : public RunObserver {
 public:
  RecordingObserver(BackendObserver& backend, GpuRecorder& gpus)
      : backend_(backend), gpus_(gpus) {}

  void OnOutput(const OutputChunk& chunk, RunProgress& progress) override {
    backend_.OnOutput(chunk, progress);
  }
  void OnRankExit(const RankExit& exit, RunProgress& progress) override {
    backend_.OnRankExit(exit, progress);
  }
  void OnGpuSamples(const std::vector<results::GpuSample>& samples) override {
    gpus_.Add(samples);
  }

 private:
  BackendObserver& backend_;
  GpuRecorder& gpus_;
};

// Starts one set of processes and watches them to their end. OBSERVER gets what
// they say: BACKEND, or what passes it on to BACKEND.
RunOutcome Carry(SweepTools& tools, const Experiment& experiment, Launch launch,
                 BackendObserver& backend, RunObserver& observer) {
  const BackendDriver& driver = *DriverOf(experiment.backend);
  launch.engine_path = tools.engine.path();
  launch.engine = &tools.engine;
  launch.seed = static_cast<uint64_t>(tools.clock.monotonic_ns() / 1000);
  Status prepared = MakeFolders(launch.folder);
  if (prepared.ok()) {
    prepared = driver.Prepare(experiment, tools.agents, launch);
  }
  if (!prepared.ok()) {
    return NotPrepared(prepared.message());
  }
  const RunRequest composed = driver.Compose(experiment, launch);
  backend.Begin(composed);
  return Supervise(composed, tools.agents, observer, tools.stop);
}

// Goes on from the run's last checkpoint with another set of processes and
// compares; what the check found.
Status VerifyLoad(SweepTools& tools, const AttemptRequest& request,
                  const AttemptResult& result) {
  const auto saved = CheckpointToLoad(result.record);
  if (!saved.has_value()) {
    return NotFoundError("no checkpoint was saved before the last step");
  }
  const BackendDriver& driver = *DriverOf(request.experiment.backend);
  Launch launch;
  launch.folder = request.folder + "/verify_load";
  launch.token = result.token + "-load";
  launch.checkpoint.load_dir = saved->dir;
  launch.load_step = saved->step;
  const auto observer =
      driver.Observe(request.experiment, [](const results::StepRow&) {});
  // Its GPUs' samples are not those of the run that is measured.
  const RunOutcome ended =
      Carry(tools, request.experiment, std::move(launch), *observer, *observer);
  if (ended.state != ProcessState::kExited) {
    return FailedPreconditionError("the run that loads failed: " +
                                   ended.reason);
  }
  return driver.CompareResumed(result.record, observer->Take(ended),
                               saved->step);
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
        .found = verified.ok() ? "the steps after loading are the same"
                               : verified.message(),
        .allowed = "the steps after loading are the same",
        .at_unix_ms = tools.clock.unix_ms()}});
}

// What is recorded while the run goes on.
struct Recorders {
  StepRecorder steps;
  GpuRecorder gpus;
};

// Carries the run out and forms its states.
void RunAndJudge(SweepTools& tools, const AttemptRequest& request,
                 const std::string& token, Recorders& recorders,
                 AttemptResult& result) {
  const Experiment& experiment = request.experiment;
  const BackendDriver* const driver = DriverOf(experiment.backend);
  Completion wanted;
  if (driver == nullptr) {
    result.ended =
        NotPrepared("this runner has no backend \"" +
                    std::string(BackendName(experiment.backend)) + "\"");
  } else {
    wanted = driver->Wanted(experiment);
    const auto observer =
        driver->Observe(experiment, [&](const results::StepRow& step) {
          recorders.steps.Add(step);
          recorders.gpus.StepIs(step.step);
          tools.progress.Step(experiment, step);
        });
    Launch launch;
    launch.folder = request.folder;
    launch.token = token;
    launch.checkpoint = driver->Saves(experiment, request.folder);
    RecordingObserver recording(*observer, recorders.gpus);
    result.ended =
        Carry(tools, experiment, std::move(launch), *observer, recording);
    result.record = observer->Take(result.ended);
    for (auto& found : recorders.gpus.Findings(experiment.topology.nodes)) {
      result.record.findings.push_back(std::move(found));
    }
  }
  if (result.ended.state != ProcessState::kExited &&
      !result.record.root_cause.empty()) {
    result.ended.reason =
        result.record.root_cause + " (" + result.ended.reason + ")";
  }
  result.measured = Measure(result.record, experiment.train.warmup_steps);
  result.outcome = Judge(experiment, result.ended, result.measured, wanted);
  result.outcome.nccl_health = result.record.nccl_health;
}

CheckResult FilesChanged(const std::string& message) {
  CheckResult result;
  result.name = "keyed_files";
  result.node = "this host";
  result.state = CheckState::kFailed;
  result.found = message;
  result.limit =
      "program and data as they were when the experiment's key was formed of "
      "them; run again";
  result.repeat = "runner explain";
  return result;
}

// What was measured while files changed belongs to no key.
void JudgeFiles(const Status& check, results::RunOutcome& outcome) {
  if (check.ok()) {
    return;
  }
  const std::string why = check.message() + ", while it ran: run again";
  if (outcome.measurement == results::MeasurementState::kValid) {
    outcome.measurement = results::MeasurementState::kIncomplete;
    outcome.measurement_reason = why;
  }
  if (outcome.verdict == results::Verdict::kPass) {
    outcome.verdict = results::Verdict::kFail;
    outcome.verdict_reason = why;
  }
}

}  // namespace

Result<AttemptResult> RunAttempt(SweepTools& tools,
                                 const AttemptRequest& request) {
  if (const Status keyed = request.check_files(); !keyed.ok()) {
    RETURN_IF_ERROR(
        RecordRefusal(tools, request, {FilesChanged(keyed.message())}));
    return AttemptResult();
  }
  const Experiment& experiment = request.experiment;
  const std::string token = MakeToken(request.folder, tools.clock);
  AttemptResult result;
  result.token = token;
  ASSIGN_OR_RETURN(result.run_id,
                   BeginRun(tools, request, token, NodesOf(experiment)));
  tools.progress.RunStarted(experiment, request.repeat, request.attempt);

  Recorders recorders{StepRecorder(tools.store, result.run_id, tools.clock),
                      GpuRecorder(tools.store, result.run_id, tools.clock)};
  RunAndJudge(tools, request, token, recorders, result);
  JudgeFiles(request.check_files(), result.outcome);
  RETURN_IF_ERROR(recorders.gpus.Finish());
  if (experiment.checkpoint.verify_load &&
      result.outcome.verdict == results::Verdict::kPass) {
    RETURN_IF_ERROR(RecordVerifyLoad(tools, request, result));
  }
  result.outcome.ended_unix_ms = tools.clock.unix_ms();

  RETURN_IF_ERROR(
      RecordDetails(tools.store, {.experiment = experiment,
                                  .sweep_id = request.sweep_id,
                                  .run_id = result.run_id,
                                  .folder = request.folder,
                                  .ended = result.ended,
                                  .record = result.record,
                                  .now_unix_ms = tools.clock.unix_ms()}));
  if (result.record.replaced) {
    RETURN_IF_ERROR(tools.store.ForgetSteps(result.run_id));
  }
  std::vector<results::StepRow> last_steps = recorders.steps.Take();
  AddAmendedSteps(result.record, last_steps);
  RETURN_IF_ERROR(
      tools.store.FinishRun(result.run_id, last_steps, result.outcome));
  tools.progress.RunEnded(experiment, result.outcome, result.measured);
  return result;
}

Status RecordRefusal(SweepTools& tools, const AttemptRequest& request,
                     const std::vector<CheckResult>& found) {
  ASSIGN_OR_RETURN(
      const int64_t run_id,
      BeginRun(tools, request, MakeToken(request.folder, tools.clock), {}));
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
