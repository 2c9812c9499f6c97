// torchrun as the launcher of a node's ranks: PyTorch's own, with its static
// rendezvous, so that the node ranks are those that the runner gave.
#ifndef RUNNER_BACKEND_TORCHRUN_H_
#define RUNNER_BACKEND_TORCHRUN_H_

#include <string>
#include <vector>

#include "runner/backend/launch.h"
#include "runner/plan/spec/experiment.h"
#include "runner/supervise/request.h"

namespace zs {

// torchrun waits 30 s for its workers before it kills them.
inline constexpr double kTorchrunGraceS = 45;

// What torchrun ends with whichever of its workers failed, or was torn down
// because one on another node did: it does not tell a cause.
inline constexpr int kTorchrunFailed = 1;
// For the other nodes' torchrun to see its own worker's end and tell of it.
inline constexpr double kTorchrunSettleS = 4;

// The words in front of the script on node NODE_RANK. What ranks write to
// stdout goes through torchrun, which marks the lines with "[default<local
// rank>]:"; its own copies lie in LOG_FOLDER, or where torchrun likes (empty).
std::vector<std::string> TorchrunArgv(const Experiment& experiment,
                                      const Launch& launch, int node_rank,
                                      const std::string& log_folder);

// One process a node, named by its node rank, started as ARGV_OF says.
// Environment: NodeVariables, ZERO_STAGE where the experiment trains, and
// unbuffered output of Python.
template <typename ArgvOf>
RunRequest LauncherRequest(const Experiment& experiment, const Launch& launch,
                           ArgvOf argv_of);

// Variables of a launcher or a Python program, see above.
void AddPythonVariables(const Experiment& experiment,
                        std::vector<std::string>& env);

template <typename ArgvOf>
RunRequest LauncherRequest(const Experiment& experiment, const Launch& launch,
                           ArgvOf argv_of) {
  RunRequest request = RequestWithoutRanks(experiment, launch);
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    const int node_rank = static_cast<int>(i);
    RankRequest process;
    process.rank = node_rank;
    process.argv = argv_of(node_rank);
    process.env = NodeVariables(experiment, launch, node_rank);
    AddPythonVariables(experiment, process.env);
    request.nodes[i].ranks.push_back(process);
  }
  request.consequence_exits = {kTorchrunFailed};
  request.settle_s = kTorchrunSettleS;
  if (request.limits.grace_s < kTorchrunGraceS) {
    request.limits.grace_s = kTorchrunGraceS;
  }
  return request;
}

}  // namespace zs

#endif  // RUNNER_BACKEND_TORCHRUN_H_
