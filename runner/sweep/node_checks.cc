#include "runner/sweep/node_checks.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/shell.h"
#include "results/store/mask.h"
#include "runner/check/judge.h"
#include "runner/check/round.h"
#include "runner/check/shared_folder.h"
#include "runner/sweep/node_answers.h"

namespace zs {
namespace {

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
  const auto printed = PrintedBy(*answer);
  result.state = printed ? CheckState::kOk : CheckState::kFailed;
  if (printed) {
    result.facts = EngineVersions(*printed);
    result.found = "exit 0 " + result.facts["engine"];
    return;
  }
  result.found = *answer;
  std::replace(result.found.begin(), result.found.end(), '\n', ' ');
}

// Below that, neither logs nor record of a run may be whole.
constexpr int64_t kOwnSpaceBytes = int64_t{64} << 20;

// Makes what is not good, but accepted, a warning.
void Accept(const std::vector<std::string>& names,
            std::vector<CheckResult>& results) {
  for (CheckResult& result : results) {
    if (!IsGood(result) &&
        std::find(names.begin(), names.end(), result.name) != names.end()) {
      result.state = CheckState::kWarning;
    }
  }
}

results::CheckStatus StatusOf(CheckState state) {
  switch (state) {
    case CheckState::kOk:
      return results::CheckStatus::kPass;
    case CheckState::kFailed:
      return results::CheckStatus::kFail;
    case CheckState::kWarning:
      return results::CheckStatus::kWarn;
    case CheckState::kUnknown:
      break;
  }
  return results::CheckStatus::kUnknown;
}

}  // namespace

std::vector<CheckResult> NodeChecks::CheckEngine(const PreflightRequest& nodes,
                                                 const std::string& device) {
  const std::vector<std::string> flags = VersionFlags(device);
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
  auto engine = request_.engine->Files(EnginePartsOn(device));
  std::vector<Question> starts;
  const auto paths = engine.ok()
                         ? PutEngine(*std::move(engine), targets, flags, starts)
                         : Result<std::vector<std::string>>(engine.status());
  if (!paths.ok()) {
    results.resize(1);
    results.front().node.clear();  // the message names it
    results.front().state = CheckState::kFailed;
    results.front().found = paths.status().message();
    return results;
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    std::vector<std::string> command = flags;
    command.insert(command.begin(), (*paths)[i]);
    results[i] = EngineResult(nodes.nodes[i], command);
    JudgeEngine(starts[i].answer, results[i]);
  }
  return results;
}

Result<std::vector<std::string>> NodeChecks::PutEngine(
    FileSet engine, const std::vector<FileTarget>& targets,
    const std::vector<std::string>& flags,
    std::vector<Question>& starts) const {
  for (const FileTarget& target : targets) {
    Question& question = starts.emplace_back();
    question.connection = target.connection;
    question.query = {0, "starts", {engine.hash, engine.files.front().name}};
    question.query.args.insert(question.query.args.end(), flags.begin(),
                               flags.end());
  }
  // Where the engine is there already, it is known at once whether it starts.
  ASSIGN_OR_RETURN(auto paths, PutOnNodes({std::move(engine)}, targets,
                                          request_.timeout_ms, starts));
  std::vector<Question> again;
  for (const Question& question : starts) {
    if (!question.answer.ok()) {
      again.push_back(question);
    }
  }
  AskAll(again, request_.timeout_ms);
  for (Question& question : starts) {
    if (!question.answer.ok()) {
      question = std::move(again.front());
      again.erase(again.begin());
    }
  }
  return std::move(paths.front());
}

void NodeChecks::AddHashes(PreflightRequest& request) {
  std::vector<WantedPath*> paths;
  for (WantedPath& path : request.paths) {
    if (path.same_everywhere) {
      paths.push_back(&path);
    }
  }
  const auto here = paths.empty()
                        ? Result<Connection*>(NotFoundError("not needed"))
                        : agents_.Get("localhost", {});
  if (!here.ok()) {
    return;
  }
  std::vector<Question> questions;
  for (const WantedPath* path : paths) {
    Question question;
    question.connection = *here;
    question.query = {0, "hash", {path->path}};
    questions.push_back(std::move(question));
  }
  AskAll(questions, request_.timeout_ms);
  for (size_t i = 0; i < questions.size(); ++i) {
    // What this host does not have need not be like it.
    paths[i]->hash = questions[i].answer.ok() ? *questions[i].answer : "";
  }
}

CheckResult NodeChecks::CheckOwnSpace() const {
  CheckResult result;
  result.name = "runner_space";
  result.node = "this host";
  result.repeat = "df -h " + ShellLine({request_.artifact_root});
  std::filesystem::path at = request_.artifact_root;
  std::error_code error;
  while (at.has_relative_path() && !std::filesystem::exists(at, error)) {
    at = at.parent_path();
  }
  const auto space = std::filesystem::space(at, error);
  JudgeAtLeast(
      "free bytes for logs and record in " + request_.artifact_root,
      error ? std::nullopt
            : std::optional<int64_t>(static_cast<int64_t>(space.available)),
      kOwnSpaceBytes, result);
  return result;
}

std::vector<CheckResult> NodeChecks::LookAt(const Experiment& experiment,
                                            PreflightRequest preflight,
                                            const std::string& shared_folder) {
  const bool elsewhere = !experiment.topology.reach.empty();
  if (elsewhere) {
    AddHashes(preflight);
  }
  std::vector<CheckResult> results =
      RunPreflight(preflight, agents_, request_.timeout_ms);
  if (!request_.artifact_root.empty()) {
    results.push_back(CheckOwnSpace());
  }
  Accept(experiment.checks.accept, results);
  const auto add = [&results](std::vector<CheckResult> more) {
    results.insert(results.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
  };
  // What follows writes on the nodes, and only where all is well so far.
  if (!elsewhere || !AllOk(results)) {
    return results;
  }
  if (!shared_folder.empty()) {
    add(CheckSharedFolder({preflight.nodes, shared_folder, FreshToken()},
                          agents_, request_.timeout_ms));
  }
  if (RunsEngine(experiment)) {
    add(CheckEngine(preflight, experiment.device));
  }
  return results;
}

const NodeChecks::Found& NodeChecks::Check(const Experiment& experiment) {
  const std::string folder =
      CheckpointFolder(experiment, request_.artifact_root);
  const std::string shared = experiment.topology.nodes.size() > 1 ? folder : "";
  PreflightRequest preflight = ChecksOf(experiment, folder);
  const std::string key = KeyOf(preflight, experiment, shared);
  const auto [at, first] = found_.try_emplace(key);
  Found& found = at->second;
  // What was wrong may have been put right.
  found.fresh = first || !found.all_ok;
  if (found.fresh) {
    found.results = LookAt(experiment, std::move(preflight), shared);
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
    rows.push_back({.name = result.name,
                    .node = result.node,
                    .status = StatusOf(result.state),
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
    if (IsGood(result)) {
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
