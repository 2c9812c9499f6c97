#include "runner/sweep/node_checks.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "base/json.h"
#include "results/store/mask.h"
#include "runner/backend/launch.h"
#include "runner/check/judge.h"
#include "runner/check/shared_folder.h"
#include "runner/reach/ask.h"
#include "runner/reach/node_files.h"

namespace zs {
namespace {

bool IsElsewhere(const Experiment& experiment) {
  return !experiment.topology.reach.empty();
}

bool Saves(const CheckpointPlan& plan) {
  return plan.save_at_end || plan.save_every > 0 || plan.verify_load;
}

void AddData(const Experiment& experiment, PreflightRequest& request) {
  const bool several = request.nodes.size() > 1;
  for (const std::string& path : experiment.data.paths) {
    if (experiment.data.kind == "megatron") {
      request.paths.push_back(
          {path + ".bin", WantedPath::Kind::kFile, several});
      request.paths.push_back(
          {path + ".idx", WantedPath::Kind::kFile, several});
    } else {
      request.paths.push_back({path, WantedPath::Kind::kFile, several});
    }
  }
}

// All that decides what is looked at, as text.
std::string KeyOf(const PreflightRequest& request, const std::string& folder,
                  bool engine) {
  Json key = {{"folder", folder},
              {"engine", engine},
              {"master", request.master_addr},
              {"port", request.master_port}};
  for (const PreflightNode& node : request.nodes) {
    key["nodes"].push_back({node.name, node.reach});
  }
  for (const WantedPath& path : request.paths) {
    key["paths"].push_back(path.path);
  }
  return DumpJson(key);
}

// A name that no other check uses.
std::string FreshToken() {
  const Clock& clock = RealClock();
  return std::to_string(clock.unix_ms()) + "-" +
         std::to_string(clock.monotonic_ns()) + "-" +
         std::to_string(::getpid());
}

CheckResult EngineResult(const PreflightNode& node,
                         const std::vector<std::string>& command) {
  CheckResult result;
  result.name = "engine";
  result.node = node.name;
  result.limit =
      "the engine starts; install the shared libraries that it needs";
  result.repeat = RepeatOn(node.reach, command);
  return result;
}

void JudgeEngine(const Result<std::string>& answer, CheckResult& result) {
  if (!answer.ok()) {
    result.found = answer.status().message();
    return;
  }
  const bool started = answer->starts_with("exit 0\n");
  result.state = started ? CheckState::kOk : CheckState::kFailed;
  result.found = *answer;
  std::replace(result.found.begin(), result.found.end(), '\n', ' ');
}

}  // namespace

PreflightRequest ChecksOf(const Experiment& experiment) {
  const Topology& topology = experiment.topology;
  PreflightRequest request;
  for (const std::string& node : topology.nodes) {
    request.nodes.push_back({node, ReachOf(topology.reach, node)});
  }
  if (IsElsewhere(experiment)) {
    request.master_addr = MasterAddress(topology);
    request.master_port = topology.master_port;
    request.any_port = true;
    AddData(experiment, request);
  }
  return request;
}

std::vector<CheckResult> NodeChecks::CheckEngine(
    const PreflightRequest& nodes) {
  std::vector<CheckResult> results;
  std::vector<FileTarget> targets;
  for (const PreflightNode& node : nodes.nodes) {
    const auto agent = agents_.Get(node.name, node.reach);
    results.push_back(EngineResult(node, {"true"}));
    if (!agent.ok()) {
      results.back().found = agent.status().message();
      return results;
    }
    targets.push_back({node.name, *agent});
  }
  const auto engine = ProgramFiles(request_.engine_path);
  const auto paths = engine.ok()
                         ? PutOnNodes(*engine, targets, request_.timeout_ms)
                         : Result<std::vector<std::string>>(engine.status());
  if (!paths.ok()) {
    results.resize(1);
    results.front().node.clear();  // the message names it
    results.front().state = CheckState::kFailed;
    results.front().found = paths.status().message();
    return results;
  }
  std::vector<Question> questions;
  for (size_t i = 0; i < targets.size(); ++i) {
    results[i] = EngineResult(nodes.nodes[i], {(*paths)[i], "--version"});
    Question question;
    question.connection = targets[i].connection;
    question.query = {0, "run", {"10000", (*paths)[i], "--version"}};
    questions.push_back(std::move(question));
  }
  AskAll(questions, request_.timeout_ms);
  for (size_t i = 0; i < targets.size(); ++i) {
    JudgeEngine(questions[i].answer, results[i]);
  }
  return results;
}

std::vector<CheckResult> NodeChecks::LookAt(const Experiment& experiment,
                                            const std::string& shared_folder) {
  const PreflightRequest preflight = ChecksOf(experiment);
  std::vector<CheckResult> results =
      RunPreflight(preflight, agents_, request_.timeout_ms);
  const auto add = [&results](std::vector<CheckResult> more) {
    results.insert(results.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
  };
  // What follows writes on the nodes, and only where all is well so far.
  if (!IsElsewhere(experiment) || !AllOk(results)) {
    return results;
  }
  if (!shared_folder.empty()) {
    add(CheckSharedFolder({preflight.nodes, shared_folder, FreshToken()},
                          agents_, request_.timeout_ms));
  }
  if (experiment.backend == Backend::kEngine) {
    add(CheckEngine(preflight));
  }
  return results;
}

const NodeChecks::Found& NodeChecks::Check(const Experiment& experiment) {
  std::string folder;
  if (Saves(experiment.checkpoint) && experiment.topology.nodes.size() > 1) {
    folder = experiment.checkpoint.dir.empty() ? request_.artifact_root
                                               : experiment.checkpoint.dir;
  }
  const std::string key = KeyOf(ChecksOf(experiment), folder,
                                experiment.backend == Backend::kEngine);
  const auto [at, fresh] = found_.try_emplace(key);
  Found& found = at->second;
  found.fresh = fresh;
  if (fresh) {
    found.results = LookAt(experiment, folder);
    for (CheckResult& result : found.results) {
      result.found = results::MaskSecrets(result.found);
      result.repeat = results::MaskSecrets(result.repeat);
    }
    found.all_ok = AllOk(found.results);
  }
  return found;
}

std::vector<results::CheckRow> RowsOf(const std::vector<CheckResult>& results,
                                      int64_t now_unix_ms) {
  std::vector<results::CheckRow> rows;
  for (const CheckResult& result : results) {
    const auto status =
        result.state == CheckState::kOk       ? results::CheckStatus::kPass
        : result.state == CheckState::kFailed ? results::CheckStatus::kFail
                                              : results::CheckStatus::kUnknown;
    rows.push_back({.name = result.name,
                    .node = result.node,
                    .status = status,
                    .found = result.found,
                    .allowed = result.limit,
                    .hint = result.repeat,
                    .at_unix_ms = now_unix_ms});
  }
  return rows;
}

std::string FailureText(const std::vector<CheckResult>& results) {
  std::string text;
  int more = -1;
  for (const CheckResult& result : results) {
    if (result.state == CheckState::kOk) {
      continue;
    }
    if (++more == 0) {
      text = result.name + (result.node.empty() ? "" : " " + result.node) +
             ": " + result.found;
    }
  }
  return more > 0 ? text + " (and " + std::to_string(more) + " more)" : text;
}

}  // namespace zs
