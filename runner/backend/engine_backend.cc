#include "runner/backend/engine_backend.h"

#include <signal.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/api/exit_code.h"

namespace zs {
namespace {

std::string Variable(std::string_view name, const std::string& value) {
  return std::string(name) + "=" + value;
}

std::string Variable(std::string_view name, int value) {
  return Variable(name, std::to_string(value));
}

// What node NODE_RANK starts from.
NodePlaces PlacesOf(const EngineRun& run, size_t node_rank) {
  return run.nodes.empty()
             ? NodePlaces{run.engine_path, run.folder + "/config.json"}
             : run.nodes[node_rank];
}

RankRequest MakeRank(const Experiment& experiment, const EngineRun& run,
                     int node_rank, int local_rank) {
  const int per_node = experiment.topology.ranks_per_node;
  RankRequest rank;
  rank.rank = node_rank * per_node + local_rank;
  const NodePlaces places = PlacesOf(run, static_cast<size_t>(node_rank));
  rank.argv = {places.engine_path, "--config", places.config_path};
  for (const auto& [name, value] : experiment.env) {
    rank.env.push_back(Variable(name, value));
  }
  rank.env.push_back(Variable("RANK", rank.rank));
  rank.env.push_back(Variable("LOCAL_RANK", local_rank));
  rank.env.push_back(Variable("WORLD_SIZE", experiment.world_size()));
  rank.env.push_back(Variable("LOCAL_WORLD_SIZE", per_node));
  rank.env.push_back(Variable("NODE_RANK", node_rank));
  rank.env.push_back(
      Variable("NNODES", static_cast<int>(experiment.topology.nodes.size())));
  rank.env.push_back(Variable("NPROC_PER_NODE", per_node));
  rank.env.push_back(Variable("MASTER_ADDR", run.master_addr));
  rank.env.push_back(Variable("MASTER_PORT", run.master_port));
  if (!run.token.empty()) {
    // The agents' ZS_RUN_TOKEN differs from node to node.
    rank.env.push_back(Variable("ZS_RENDEZVOUS_TOKEN", run.token));
  }
  return rank;
}

}  // namespace

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

RunConfig EngineRunConfig(const Experiment& experiment, const EngineRun& run) {
  RunConfig config = EngineConfig(experiment);
  config.checkpoint = run.checkpoint;
  return config;
}

RunRequest EngineRequest(const Experiment& experiment, const EngineRun& run) {
  RunRequest request;
  request.token = run.token;
  request.artifact_folder = run.folder;
  request.ports = {run.master_port};
  const Topology& topology = experiment.topology;
  for (size_t i = 0; i < topology.nodes.size(); ++i) {
    NodeRequest node;
    node.name = topology.nodes[i];
    node.reach = ReachOf(topology.reach, node.name);
    node.uses_gpus = experiment.device == "cuda";
    for (int local = 0; local < topology.ranks_per_node; ++local) {
      node.ranks.push_back(
          MakeRank(experiment, run, static_cast<int>(i), local));
    }
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
  request.status_signal = SIGUSR1;
  // A rank that lost its peer is not the cause.
  request.consequence_exits = {static_cast<int>(EngineExit::kPeerLost)};
  return request;
}

}  // namespace zs
