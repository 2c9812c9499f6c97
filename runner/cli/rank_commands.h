// The exact commands that a sweep would start, for people to read and repeat.
#ifndef RUNNER_CLI_RANK_COMMANDS_H_
#define RUNNER_CLI_RANK_COMMANDS_H_

#include <map>
#include <string>

#include "runner/host/installation.h"
#include "runner/plan/spec/experiment.h"
#include "runner/sweep/prepare.h"

namespace zs {

// Command and environment of each rank of one experiment on each node, and the
// configuration that they read. Secrets are masked; words are quoted as a shell
// wants them. The port is the experiment's own, or PORT where the runner takes
// a free one; FOLDER stands for the folder of the run, CACHE for
// the agent's folder on a node (${XDG_CACHE_HOME:-~/.cache}/zerosweep), HASH
// for that of the configuration.
// INHERITED: relevant variables that the ranks have beside those.
std::string RankCommandsText(
    const Experiment& experiment, const Installation& installation,
    const std::map<std::string, std::string>& inherited);

// The same for all experiments that would be run.
std::string RankCommandsText(Preparation& preparation,
                             const Installation& installation);

}  // namespace zs

#endif  // RUNNER_CLI_RANK_COMMANDS_H_
