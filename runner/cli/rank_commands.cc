#include "runner/cli/rank_commands.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/shell.h"
#include "base/strings.h"
#include "results/store/mask.h"
#include "runner/backend/drivers.h"
#include "runner/backend/launch.h"

namespace zs {
namespace {

std::string Words(const std::vector<std::string>& words) {
  const std::vector<std::string> secrets = results::SecretArguments(words);
  std::string text;
  for (const std::string& word : words) {
    const bool secret =
        std::find(secrets.begin(), secrets.end(), word) != secrets.end();
    text += (text.empty() ? "" : " ") +
            ShellQuoted(secret ? "***" : results::MaskSecrets(word));
  }
  return text;
}

std::string RankText(const RankRequest& rank) {
  return "  rank " + std::to_string(rank.rank) + "\n    env " +
         Words(rank.env) + "\n    " + Words(rank.argv) + "\n";
}

// Empty where nothing that counts is inherited.
std::string InheritedText(const std::map<std::string, std::string>& inherited) {
  std::vector<std::string> words;
  words.reserve(inherited.size());
  for (const auto& [name, value] : inherited) {
    words.push_back(Variable(name, value));
  }
  return words.empty() ? "" : "  inherited " + Words(words) + "\n";
}

}  // namespace

std::string RankCommandsText(
    const Experiment& experiment, const Installation& installation,
    const std::map<std::string, std::string>& inherited) {
  std::string text = experiment.name + "\n";
  const BackendDriver* const driver = DriverOf(experiment.backend);
  if (driver == nullptr) {
    return text + "  backend " + std::string(BackendName(experiment.backend)) +
           ": this runner cannot start it\n";
  }
  const Topology& topology = experiment.topology;
  const Launch launch =
      driver->Imagine(experiment, {.engine_path = installation.engine,
                                   .master_addr = MasterAddress(topology),
                                   .master_port = topology.master_port});
  for (const NodeRequest& node : driver->Compose(experiment, launch).nodes) {
    text += " node " + node.name + ": " +
            (node.reach.empty() ? "this host" : Words(node.reach)) + "\n" +
            InheritedText(inherited);
    for (const RankRequest& rank : node.ranks) {
      text += RankText(rank);
    }
  }
  return text + driver->ShownFiles(experiment, launch);
}

std::string RankCommandsText(Preparation& preparation,
                             const Installation& installation) {
  std::string text;
  for (const size_t i : preparation.graph.order) {
    if (preparation.decisions[i].action == Action::kRun) {
      const Experiment& experiment = preparation.sweep().experiments[i];
      text += RankCommandsText(experiment, installation,
                               preparation.inherited.Of(experiment));
    }
  }
  return text;
}

}  // namespace zs
