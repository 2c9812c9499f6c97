#include "runner/backend/launch.h"

#include <algorithm>
#include <utility>

#include "results/store/mask.h"

namespace zs {

CheckpointConfig CheckpointsOf(const Experiment& experiment,
                               const std::string& folder) {
  const CheckpointPlan& plan = experiment.checkpoint;
  CheckpointConfig config;
  config.save_at_end = plan.save_at_end;
  config.save_every = plan.save_every;
  if (plan.verify_load && config.save_every == 0) {
    config.save_every = std::max<int64_t>(1, experiment.train.steps / 2);
  }
  if (config.save_at_end || config.save_every > 0) {
    config.save_dir = plan.dir.empty() ? folder + "/checkpoints" : plan.dir;
  }
  return config;
}

std::string MasterAddress(const Topology& topology) {
  return topology.reach.empty() ? "127.0.0.1" : topology.nodes.front();
}

std::vector<std::string> ReachOf(const std::vector<std::string>& reach,
                                 const std::string& host) {
  constexpr std::string_view kHost = "{host}";
  std::vector<std::string> words = reach;
  for (std::string& word : words) {
    for (size_t at = word.find(kHost); at != std::string::npos;
         at = word.find(kHost, at + host.size())) {
      word.replace(at, kHost.size(), host);
    }
  }
  return words;
}

std::string Variable(std::string_view name, const std::string& value) {
  return std::string(name) + "=" + value;
}

std::string Variable(std::string_view name, int value) {
  return Variable(name, std::to_string(value));
}

std::vector<std::string> NodeVariables(const Experiment& experiment,
                                       const Launch& launch, int node_rank) {
  std::vector<std::string> env;
  for (const auto& [name, value] : experiment.env) {
    env.push_back(Variable(name, value));
  }
  const Topology& topology = experiment.topology;
  env.push_back(Variable("NODE_RANK", node_rank));
  env.push_back(Variable("NNODES", static_cast<int>(topology.nodes.size())));
  env.push_back(Variable("NPROC_PER_NODE", topology.ranks_per_node));
  env.push_back(Variable("MASTER_ADDR", launch.master_addr));
  env.push_back(Variable("MASTER_PORT", launch.master_port));
  return env;
}

std::vector<std::string> RankVariables(const Experiment& experiment,
                                       const Launch& launch, int node_rank,
                                       int local_rank) {
  const int per_node = experiment.topology.ranks_per_node;
  std::vector<std::string> env = NodeVariables(experiment, launch, node_rank);
  env.push_back(Variable("RANK", node_rank * per_node + local_rank));
  env.push_back(Variable("LOCAL_RANK", local_rank));
  // As torchrun has it: the place of the node among the nodes.
  env.push_back(Variable("GROUP_RANK", node_rank));
  env.push_back(Variable("WORLD_SIZE", experiment.world_size()));
  env.push_back(Variable("LOCAL_WORLD_SIZE", per_node));
  return env;
}

RunRequest RequestWithoutRanks(const Experiment& experiment,
                               const Launch& launch) {
  RunRequest request;
  request.token = launch.token;
  request.artifact_folder = launch.folder;
  request.ports = {launch.master_port};
  request.login_shell = experiment.login_shell;
  for (const auto& [name, value] : LimitsSet(experiment.ulimits)) {
    request.process_limits.push_back(name + "=" + std::to_string(value));
  }
  for (const std::string& name : experiment.topology.nodes) {
    NodeRequest node;
    node.name = name;
    node.reach = ReachOf(experiment.topology.reach, name);
    node.uses_gpus = experiment.device == "cuda";
    request.nodes.push_back(std::move(node));
  }
  const Limits& limits = experiment.limits;
  request.limits.start_s = limits.start_s;
  request.limits.first_step_s = limits.first_step_s;
  request.limits.hang_s = limits.hang_s;
  request.limits.hang_factor = limits.hang_factor;
  request.limits.total_s = limits.total_s;
  request.limits.grace_s = limits.grace_s;
  request.limits.lease_s = limits.lease_s;
  for (const auto& [name, value] : experiment.env) {
    if (results::IsSecretName(name)) {
      request.secrets.push_back(value);
    }
  }
  if (experiment.command) {
    const auto values = results::SecretArguments(experiment.command->argv);
    request.secrets.insert(request.secrets.end(), values.begin(), values.end());
  }
  return request;
}

}  // namespace zs
