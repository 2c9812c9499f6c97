// What the processes of every backend have in common: where they meet, how
// their nodes are reached, how long they may take.
#ifndef RUNNER_BACKEND_LAUNCH_H_
#define RUNNER_BACKEND_LAUNCH_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/run_config.h"
#include "runner/plan/spec/experiment.h"
#include "runner/supervise/request.h"

namespace zs {

// Where a node has what its ranks start from.
struct NodePlaces {
  std::string engine_path;
  std::string config_path;
};

class KnownProgram;

// What an experiment does not say: the places of one set of processes.
struct Launch {
  std::string engine_path;         // the engine program on this host
  KnownProgram* engine = nullptr;  // the same, for other hosts; outlives this;
                                   // given wherever something is prepared
  std::string folder;              // of this attempt, on this host
  std::string token;               // see RunRequest
  CheckpointConfig checkpoint;     // absolute folders
  int64_t load_step = 0;  // of the checkpoint to load, where there is one
  uint64_t seed = 0;      // varies where the search for a port begins
  // Filled in by BackendDriver::Prepare.
  std::string master_addr;
  int master_port = 0;
  std::string tree_version;       // of the trainer on the nodes: "0.14.0"
  std::vector<NodePlaces> nodes;  // empty: every node uses the above
};

// What a run of EXPERIMENT in FOLDER saves. With verify_load there is always a
// checkpoint before the last step.
CheckpointConfig CheckpointsOf(const Experiment& experiment,
                               const std::string& folder);

// MASTER_ADDR: the first node; where all ranks are on this host, its loopback.
std::string MasterAddress(const Topology& topology);

// REACH with "{host}" replaced by HOST, word by word.
std::vector<std::string> ReachOf(const std::vector<std::string>& reach,
                                 const std::string& host);

// "NAME=value", as processes get it.
std::string Variable(std::string_view name, const std::string& value);
std::string Variable(std::string_view name, int value);

// The variables that every process of node NODE_RANK gets: the experiment's
// own, then NODE_RANK, NNODES, NPROC_PER_NODE, MASTER_ADDR and MASTER_PORT.
std::vector<std::string> NodeVariables(const Experiment& experiment,
                                       const Launch& launch, int node_rank);

// NodeVariables and what torchrun would add for one rank: RANK, LOCAL_RANK,
// WORLD_SIZE, LOCAL_WORLD_SIZE.
std::vector<std::string> RankVariables(const Experiment& experiment,
                                       const Launch& launch, int node_rank,
                                       int local_rank);

// The request with its nodes (no ranks in them yet), limits and ports.
RunRequest RequestWithoutRanks(const Experiment& experiment,
                               const Launch& launch);

}  // namespace zs

#endif  // RUNNER_BACKEND_LAUNCH_H_
