#include "runner/backend/torchrun.h"

namespace zs {

std::vector<std::string> TorchrunArgv(const Experiment& experiment,
                                      const Launch& launch, int node_rank,
                                      const std::string& log_folder) {
  const Topology& topology = experiment.topology;
  // Spelt with underscores, which every version knows.
  std::vector<std::string> argv = {
      "torchrun", "--nnodes=" + std::to_string(topology.nodes.size()),
      "--nproc_per_node=" + std::to_string(topology.ranks_per_node),
      "--node_rank=" + std::to_string(node_rank),
      "--master_addr=" + launch.master_addr,
      "--master_port=" + std::to_string(launch.master_port),
      // A worker's end is seen after a second, not after five.
      "--monitor_interval=1",
      // Both streams (3) break under Python 3.11 with PyTorch before 2.0.
      "--redirects=1", "--tee=1"};
  if (!log_folder.empty()) {
    argv.push_back("--log_dir=" + log_folder);
  }
  return argv;
}

void AddPythonVariables(const Experiment& experiment,
                        std::vector<std::string>& env) {
  if (experiment.has_train) {
    env.push_back(Variable("ZERO_STAGE", experiment.train.zero_stage));
  }
  if (!experiment.env.contains("PYTHONUNBUFFERED")) {
    env.push_back("PYTHONUNBUFFERED=1");  // else lines come late or never
  }
}

}  // namespace zs
