#include "runner/cli/rank_commands.h"

#include <string_view>

#include "base/json.h"
#include "base/strings.h"
#include "results/store/mask.h"
#include "runner/backend/engine_backend.h"
#include "runner/reach/node_files.h"

namespace zs {
namespace {

// WORD so that a POSIX shell reads it back as it is.
std::string ShellQuoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "_-+=/.,:@%^";
  if (!word.empty() &&
      word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char byte : word) {
    quoted += byte == '\'' ? "'\\''" : std::string(1, byte);
  }
  return quoted + "'";
}

std::string Words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + ShellQuoted(results::MaskSecrets(word));
  }
  return text;
}

std::string RankText(const RankRequest& rank) {
  return "  rank " + std::to_string(rank.rank) + "\n    env " +
         Words(rank.env) + "\n    " + Words(rank.argv) + "\n";
}

// Where the runner puts on other hosts what their ranks start from.
NodePlaces PlacesOnNodes(const Installation& installation) {
  const auto engine = ProgramFiles(installation.engine);
  return {.engine_path = "CACHE/files/" +
                         (engine.ok() ? engine->hash : "HASH") + "/engine",
          .config_path = "CACHE/files/HASH/config.json"};
}

}  // namespace

std::string RankCommandsText(const Experiment& experiment,
                             const Installation& installation) {
  std::string text = experiment.name + "\n";
  if (experiment.backend != Backend::kEngine) {
    return text + "  backend " + std::string(BackendName(experiment.backend)) +
           ": this runner cannot start it\n";
  }
  const Topology& topology = experiment.topology;
  EngineRun run;
  run.engine_path = installation.engine;
  run.folder = "FOLDER";
  run.master_addr = MasterAddress(topology);
  run.master_port = topology.master_port;
  run.checkpoint = CheckpointsOf(experiment, "FOLDER");
  if (!topology.reach.empty()) {
    run.nodes.assign(topology.nodes.size(), PlacesOnNodes(installation));
  }
  for (const NodeRequest& node : EngineRequest(experiment, run).nodes) {
    text += " node " + node.name + ": " +
            (node.reach.empty() ? "this host" : Words(node.reach)) + "\n";
    for (const RankRequest& rank : node.ranks) {
      text += RankText(rank);
    }
  }
  const Json config =
      results::MaskDocument(ToJson(EngineRunConfig(experiment, run)));
  return text + " FOLDER/config.json: " + DumpJson(config) + "\n";
}

std::string RankCommandsText(const Preparation& preparation,
                             const Installation& installation) {
  std::string text;
  for (const size_t i : preparation.graph.order) {
    if (preparation.decisions[i].action == Action::kRun) {
      text +=
          RankCommandsText(preparation.sweep().experiments[i], installation);
    }
  }
  return text;
}

}  // namespace zs
