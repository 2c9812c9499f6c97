#include "runner/backend/engine_backend.h"

#include <signal.h>

#include <utility>

#include "engine/api/exit_code.h"

namespace zs {
namespace {

// What node NODE_RANK starts from.
NodePlaces PlacesOf(const Launch& launch, size_t node_rank) {
  return launch.nodes.empty()
             ? NodePlaces{launch.engine_path, launch.folder + "/config.json"}
             : launch.nodes[node_rank];
}

RankRequest MakeRank(const Experiment& experiment, const Launch& launch,
                     int node_rank, int local_rank) {
  const int per_node = experiment.topology.ranks_per_node;
  RankRequest rank;
  rank.rank = node_rank * per_node + local_rank;
  const NodePlaces places = PlacesOf(launch, static_cast<size_t>(node_rank));
  rank.argv = {places.engine_path, "--config", places.config_path};
  rank.env = RankVariables(experiment, launch, node_rank, local_rank);
  if (!launch.token.empty()) {
    // The agents' ZS_RUN_TOKEN differs from node to node.
    rank.env.push_back(Variable("ZS_RENDEZVOUS_TOKEN", launch.token));
  }
  return rank;
}

}  // namespace

RunConfig EngineRunConfig(const Experiment& experiment, const Launch& launch) {
  RunConfig config = EngineConfig(experiment);
  config.checkpoint = launch.checkpoint;
  return config;
}

RunRequest EngineRequest(const Experiment& experiment, const Launch& launch) {
  RunRequest request = RequestWithoutRanks(experiment, launch);
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    for (int local = 0; local < experiment.topology.ranks_per_node; ++local) {
      request.nodes[i].ranks.push_back(
          MakeRank(experiment, launch, static_cast<int>(i), local));
    }
  }
  request.status_signal = SIGUSR1;
  // A rank that lost its peer is not the cause.
  request.consequence_exits = {static_cast<int>(EngineExit::kPeerLost)};
  return request;
}

}  // namespace zs
