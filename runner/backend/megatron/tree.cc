#include "runner/backend/megatron/tree.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "runner/backend/places.h"
#include "runner/reach/ask.h"

namespace zs {
namespace {

constexpr char kPackageInfo[] = "/megatron/core/package_info.py";
constexpr int64_t kReadMs = 20'000;
// It imports PyTorch before it answers.
constexpr int64_t kHelpMs = 180'000;

// What PROGRAM printed at the node; kNotFound with it where it failed.
Result<std::string> RunThere(Connection& agent, int64_t limit_ms,
                             const std::vector<std::string>& argv) {
  QueryMsg query{0, "run", {std::to_string(limit_ms)}};
  query.args.insert(query.args.end(), argv.begin(), argv.end());
  ASSIGN_OR_RETURN(const std::string answer,
                   Ask(agent, std::move(query), limit_ms + kNodeAnswerMs));
  const size_t end = answer.find('\n');
  const std::string text =
      end == std::string::npos ? "" : answer.substr(end + 1);
  if (answer.substr(0, end) != "exit 0") {
    return NotFoundError(answer.substr(0, end) + ": " + text.substr(0, 300));
  }
  return text;
}

Result<MegatronVersion> VersionOnNode(const MegatronSpec& spec,
                                      Connection& agent) {
  const std::string path = spec.root + kPackageInfo;
  const auto text = RunThere(agent, kReadMs, {"cat", path});
  std::string tried = path + ": ";
  if (text.ok()) {
    const auto version = VersionOfPackageInfo(*text);
    if (version.ok()) {
      return version;
    }
    tried += version.status().message();
  } else {
    tried += text.status().message();
  }
  const std::string script = ScriptOf(spec);
  const auto help = RunThere(agent, kHelpMs, {"python3", script, "--help"});
  const auto version =
      help.ok() ? VersionOfHelp(*help) : Result<MegatronVersion>(help.status());
  if (version.ok()) {
    return version;
  }
  return NotFoundError("no known Megatron-LM tree; tried " + tried +
                       "; python3 " + script +
                       " --help: " + version.status().message());
}

}  // namespace

std::string ScriptOf(const MegatronSpec& spec) {
  return spec.script.starts_with('/') ? spec.script
                                      : spec.root + "/" + spec.script;
}

Result<MegatronVersion> VersionOnNodes(const Experiment& experiment,
                                       AgentPool& agents) {
  const MegatronSpec& spec = *experiment.megatron;
  std::optional<MegatronVersion> common;
  std::string first_node;
  for (const std::string& node : experiment.topology.nodes) {
    ASSIGN_OR_RETURN(Connection* const agent,
                     AgentOf(experiment.topology, node, agents));
    auto version = VersionOnNode(spec, *agent);
    if (!version.ok()) {
      return version.status().WithContext("node " + node);
    }
    if (common.has_value() && *common != *version) {
      return FailedPreconditionError(
          "Megatron-LM is " + common->text + " on " + first_node + " and " +
          version->text + " on " + node + "; all nodes need the same tree");
    }
    common = *version;
    first_node = first_node.empty() ? node : first_node;
  }
  if (!spec.version.empty()) {
    ASSIGN_OR_RETURN(const MegatronVersion declared,
                     ParseMegatronVersion(spec.version));
    if (declared.major != common->major || declared.minor != common->minor) {
      return FailedPreconditionError("megatron.version says " + declared.text +
                                     ", the nodes have " + common->text +
                                     "; correct the field or the tree");
    }
  }
  return *common;
}

Result<MegatronVersion> VersionOnThisHost(const std::string& root) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(root + kPackageInfo));
  return VersionOfPackageInfo(text);
}

}  // namespace zs
