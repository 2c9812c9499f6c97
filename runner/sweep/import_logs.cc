#include "runner/sweep/import_logs.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/hash.h"
#include "base/json.h"
#include "results/store/mask.h"
#include "results/store/reader.h"
#include "runner/backend/log_observer.h"
#include "runner/observe/diagnose/log_set.h"
#include "runner/observe/text/input.h"
#include "runner/plan/key.h"
#include "runner/plan/spec/experiment.h"
#include "runner/sweep/import_settings.h"
#include "runner/sweep/judge.h"
#include "runner/sweep/measured.h"
#include "runner/sweep/record_run.h"

namespace zs {
namespace {

// Nobody waits for a file's steps.
class NoProgress final : public RunProgress {
 public:
  void RankStarted(int) override {}
  void StepDone(int64_t) override {}
  void Alive() override {}
  void ErrorSeen(int, std::string_view) override {}
};

// One run as its logs tell it.
struct LoggedRun {
  ImportedRun told;
  Experiment experiment;
  RunRecord record;
  RunDiagnosis diagnosis;
  std::map<std::string, std::string> key_parts;
  std::string key;
  std::set<std::string> set;  // the fields that --set gave
  std::vector<results::ArtifactRow> files;
  int64_t modified_unix_ms = 0;  // the newest of the files
};

int64_t ModifiedUnixMs(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0
             ? static_cast<int64_t>(status.st_mtim.tv_sec) * 1000
             : 0;
}

void ReadFiles(const LogGroup& group, LogObserver& observer, LoggedRun& run) {
  NoProgress progress;
  std::vector<std::string> contents;
  for (size_t i = 0; i < group.sources.size(); ++i) {
    const std::string& path = group.sources[i].path;
    const int process = static_cast<int>(i);
    Sha256 sha;
    int64_t bytes = 0;
    const auto read = ReadLog(path, [&](std::string_view piece) {
      sha.Update(piece);
      bytes += static_cast<int64_t>(piece.size());
      observer.OnOutput({.rank = process, .bytes = piece}, progress);
    });
    observer.OnRankExit({.rank = process}, progress);
    if (!read.ok()) {
      run.told.unread.push_back(path + ": " + read.status().message());
      continue;
    }
    contents.push_back(sha.HexDigest());
    run.files.push_back({.kind = "log",
                         .path = path,
                         .bytes = bytes,
                         .sha256 = contents.back()});
    run.modified_unix_ms = std::max(run.modified_unix_ms, ModifiedUnixMs(path));
  }
  run.told.files = static_cast<int64_t>(contents.size());
  // Whatever the files are called and wherever they lie.
  std::sort(contents.begin(), contents.end());
  run.key_parts["logs"] = DumpJson(Json(contents));
}

int64_t PositiveOr(int64_t value, int64_t otherwise) {
  return value > 0 ? value : otherwise;
}

// What the logs tell of the experiment, before what was set.
void Describe(const RunDiagnosis& diagnosis, const RunRecord& record,
              Experiment& experiment) {
  experiment.backend = Backend::kCommand;
  experiment.has_train = true;
  TrainConfig& train = experiment.train;
  train.zero_stage = record.effective.zero_stage.value_or(0);
  // Nobody asked for the defaults of an experiment file.
  train.steps = 0;
  train.micro_batch = 0;
  train.global_batch = 0;
  train.seq_len = 0;
  experiment.topology.nodes.clear();
  if (diagnosis.runs.empty()) {
    return;
  }
  const RunSummary& summary = diagnosis.runs.front();
  if (summary.trainer == "megatron") {
    experiment.backend = Backend::kMegatron;
  } else if (summary.trainer == "engine") {
    experiment.backend = Backend::kEngine;
  }
  if (summary.zero_requested >= 0) {
    train.zero_stage = summary.zero_requested;
  }
  train.steps = PositiveOr(summary.iterations_planned, 0);
  train.micro_batch = PositiveOr(summary.micro_batch, 0);
  train.seq_len = PositiveOr(summary.sequence_length, 0);
  train.global_batch = summary.phases.empty()
                           ? 0
                           : PositiveOr(summary.phases.back().global_batch, 0);
}

// Nodes by what the files and lines name; ranks as far as they divide.
void PlaceRanks(const LogGroup& group, const LoggedRun& run,
                Experiment& experiment) {
  std::vector<std::string>& nodes = experiment.topology.nodes;
  for (const LogSource& source : group.sources) {
    if (!source.node.empty() &&
        std::find(nodes.begin(), nodes.end(), source.node) == nodes.end()) {
      nodes.push_back(source.node);
    }
  }
  if (nodes.empty()) {
    nodes.emplace_back("unknown");
  }
  const int count = static_cast<int>(nodes.size());
  const int world = run.record.effective.world_size.value_or(count);
  experiment.topology.ranks_per_node = std::max(1, world / count);
}

void FillTokens(const TrainConfig& train, std::vector<results::StepRow>& rows) {
  const int64_t tokens = train.global_batch * train.seq_len;
  for (results::StepRow& row : rows) {
    if (!row.tokens.has_value() && tokens > 0) {
      row.tokens = tokens;
    }
  }
}

Result<LoggedRun> ReadRun(const LogGroup& group, const ImportRequest& request) {
  LoggedRun run;
  LogObserver observer({}, [](const results::StepRow&) {});
  observer.BeginFiles(group.sources);
  ReadFiles(group, observer, run);
  RunOutcome none;
  none.state = ProcessState::kExited;
  run.record = observer.Take(none);
  run.diagnosis = observer.diagnosis();
  Experiment& experiment = run.experiment;
  Describe(run.diagnosis, run.record, experiment);
  PlaceRanks(group, run, experiment);
  Json set = Json::object();
  for (const auto& one : request.set) {
    RETURN_IF_ERROR(ApplySetting(one.first, one.second, experiment));
    set[one.first] = one.second;
    run.set.insert(one.first);
  }
  run.key_parts["set"] = DumpJson(set);
  run.key = HashOfParts(run.key_parts);
  FillTokens(experiment.train, run.record.steps);
  const std::string stem =
      std::filesystem::path(group.name).filename().stem().string();
  experiment.name = !request.name.empty() ? request.name
                    : !stem.empty()       ? stem
                                          : "log";
  run.told.name = experiment.name;
  run.told.steps = static_cast<int64_t>(run.record.steps.size());
  return run;
}

// How the processes ended, as far as logs can tell.
RunOutcome EndOf(const LoggedRun& run) {
  RunOutcome ended;
  ended.state = ProcessState::kExited;
  ended.cause = "ok";
  const bool completed =
      !run.diagnosis.runs.empty() && run.diagnosis.runs.front().completed;
  ended.reason = completed ? "the log ends with the last iteration"
                           : "the log does not say how the processes ended";
  if (!completed && run.diagnosis.has_root) {
    ended.state = ProcessState::kFailed;
    ended.cause = "rank_exit";
    ended.reason = run.record.root_cause;
  }
  return ended;
}

results::RunOutcome OutcomeOf(const LoggedRun& run, const RunOutcome& ended) {
  Completion wanted;
  wanted.steps = run.experiment.train.steps;
  wanted.any_step = true;
  results::RunOutcome outcome =
      Judge(run.experiment, ended,
            Measure(run.record, run.experiment.train.warmup_steps), wanted);
  if (ended.state == ProcessState::kExited) {
    outcome.exit_status.reset();  // no log tells it
  }
  if (wanted.steps == 0 &&
      outcome.measurement == results::MeasurementState::kValid) {
    outcome.measurement = results::MeasurementState::kIncomplete;
    outcome.measurement_reason +=
        "; how many were planned is unknown: --set steps=N says it";
    if (outcome.verdict == results::Verdict::kPass) {
      outcome.verdict = results::Verdict::kUndecided;
      outcome.verdict_reason = outcome.measurement_reason;
    }
  }
  outcome.nccl_health = run.record.nccl_health;
  outcome.ended_unix_ms = run.modified_unix_ms;
  return outcome;
}

// Whether the logs or a setting say which stage was asked for.
bool IsStageKnown(const LoggedRun& run) {
  return run.set.contains("zero_stage") ||
         run.record.effective.zero_stage.has_value() ||
         (!run.diagnosis.runs.empty() &&
          run.diagnosis.runs.front().zero_requested >= 0);
}

results::Experiment RowOf(const LoggedRun& run) {
  const Experiment& experiment = run.experiment;
  const TrainConfig& train = experiment.train;
  const auto known = [](int64_t value) {
    return value > 0 ? std::optional(value) : std::nullopt;
  };
  results::Experiment row;
  row.name = experiment.name;
  row.key = run.key;
  Json parts = Json::object();
  for (const auto& [name, text] : run.key_parts) {
    const auto part = ParseJson(text);
    parts[name] = part.ok() ? *part : Json(text);
  }
  row.key_parts_json = DumpJson(parts);
  Json files = Json::array();
  for (const results::ArtifactRow& file : run.files) {
    files.push_back(file.path);
  }
  row.spec_json = DumpJson(results::MaskDocument({{"imported", files}}));
  row.backend = BackendName(experiment.backend);
  row.model = experiment.model.name;
  if (IsStageKnown(run)) {
    row.zero_requested = train.zero_stage;
  }
  row.world_size = run.record.effective.world_size;
  row.ranks_per_node = experiment.topology.ranks_per_node;
  row.micro_batch = known(train.micro_batch);
  row.global_batch = known(train.global_batch);
  row.seq_len = known(train.seq_len);
  row.steps = known(train.steps);
  if (run.set.contains("warmup_steps")) {
    row.warmup_steps = train.warmup_steps;
  }
  return row;
}

Status Write(results::Store& store, int64_t sweep_id, LoggedRun& run) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids,
                   store.AddExperiments(sweep_id, {RowOf(run)}));
  double elapsed_ms = 0;
  for (const results::StepRow& step : run.record.steps) {
    elapsed_ms += step.step_ms.value_or(0);
  }
  results::RunStart start;
  start.experiment_id = ids.front();
  start.token = "import-" + run.key.substr(0, 24);
  start.started_unix_ms =
      run.modified_unix_ms - static_cast<int64_t>(elapsed_ms);
  ASSIGN_OR_RETURN(run.told.run_id, store.BeginRun(start));
  const RunOutcome ended = EndOf(run);
  const results::RunOutcome outcome = OutcomeOf(run, ended);
  RETURN_IF_ERROR(store.AddArtifacts(run.told.run_id, run.files));
  const std::string no_folder;
  RETURN_IF_ERROR(RecordDetails(store, {.experiment = run.experiment,
                                        .sweep_id = sweep_id,
                                        .run_id = run.told.run_id,
                                        .folder = no_folder,
                                        .ended = ended,
                                        .record = run.record,
                                        .now_unix_ms = run.modified_unix_ms}));
  RETURN_IF_ERROR(store.FinishRun(run.told.run_id, run.record.steps, outcome));
  run.told.verdict = results::Name(outcome.verdict);
  run.told.reason = outcome.verdict_reason;
  return OkStatus();
}

// Two runs of one name in a sweep get numbers.
void MakeNamesUnique(std::vector<LoggedRun>& runs) {
  std::map<std::string, int> seen;
  for (LoggedRun& run : runs) {
    const int number = run.told.taken ? ++seen[run.experiment.name] : 0;
    if (number > 1) {
      run.experiment.name += "_" + std::to_string(number);
      run.told.name = run.experiment.name;
    }
  }
}

Status LookUp(const results::Reader& reader, LoggedRun& run) {
  ASSIGN_OR_RETURN(const std::vector<results::RunRow> known,
                   reader.Runs({.key = run.key}));
  if (!known.empty()) {
    run.told.known = true;
    run.told.run_id = known.front().id;
    run.told.name = known.front().experiment.name;
  }
  return OkStatus();
}

constexpr const char* kNothingThere =
    "no step of a known trainer and no failure was recognised; `runner "
    "diagnose` on the same files says what was";

Status CheckCount(const ImportRequest& request,
                  const std::vector<LoggedRun>& runs) {
  std::string names;
  int count = 0;
  for (const LoggedRun& run : runs) {
    if (run.told.taken && ++count <= 5) {
      names += (names.empty() ? "" : ", ") + run.files.front().path;
    }
  }
  if (count == 0) {
    return NotFoundError(kNothingThere);
  }
  if (!request.name.empty() && count > 1) {
    return InvalidArgumentError(
        "--name names one run, and these logs are of " + std::to_string(count) +
        ": " + names +
        "; import them one after the other, or leave --name out");
  }
  return OkStatus();
}

Result<std::vector<LoggedRun>> ReadRuns(const ImportRequest& request) {
  ASSIGN_OR_RETURN(const std::vector<LogGroup> groups, FindLogs(request.paths));
  std::vector<LoggedRun> runs;
  for (const LogGroup& group : groups) {
    ASSIGN_OR_RETURN(LoggedRun run, ReadRun(group, request));
    run.told.taken = !run.record.steps.empty() || run.diagnosis.has_root;
    if (!run.told.taken) {
      run.told.name = group.name;
      run.told.reason = kNothingThere;
    }
    runs.push_back(std::move(run));
  }
  RETURN_IF_ERROR(CheckCount(request, runs));
  return runs;
}

}  // namespace

Result<std::vector<ImportedRun>> ImportLogs(results::Store& store,
                                            const ImportRequest& request) {
  ASSIGN_OR_RETURN(std::vector<LoggedRun> runs, ReadRuns(request));
  MakeNamesUnique(runs);
  bool any_new = false;
  for (LoggedRun& run : runs) {
    if (run.told.taken) {
      RETURN_IF_ERROR(LookUp(store.reader(), run));
      any_new |= !run.told.known;
    }
  }
  int64_t sweep_id = 0;
  if (any_new) {
    ASSIGN_OR_RETURN(sweep_id, store.BeginSweep(request.start));
  }
  std::vector<ImportedRun> imported;
  for (LoggedRun& run : runs) {
    if (run.told.taken && !run.told.known) {
      RETURN_IF_ERROR(Write(store, sweep_id, run));
    }
    imported.push_back(run.told);
  }
  if (any_new) {
    RETURN_IF_ERROR(
        store.EndSweep(sweep_id, request.start.started_unix_ms, 0, "imported"));
  }
  return imported;
}

}  // namespace zs
