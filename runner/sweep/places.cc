#include "runner/sweep/places.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "runner/host/port.h"
#include "runner/reach/ask.h"
#include "runner/reach/node_files.h"

namespace zs {
namespace {

// For an agent that may have to be put there first, and for each file part.
constexpr int64_t kAnswerMs = 60'000;

Result<Connection*> AgentOf(const Topology& topology, const std::string& node,
                            AgentPool& agents) {
  auto connection = agents.Get(node, ReachOf(topology.reach, node));
  if (!connection.ok()) {
    return connection.status().WithContext("node " + node);
  }
  return connection;
}

Status PutOnAll(const PlacesRequest& request, AgentPool& agents,
                EngineRun& run) {
  const Topology& topology = request.experiment.topology;
  std::vector<FileTarget> targets;
  for (const std::string& node : topology.nodes) {
    ASSIGN_OR_RETURN(Connection* const connection,
                     AgentOf(topology, node, agents));
    targets.push_back({node, connection});
  }
  ASSIGN_OR_RETURN(const FileSet engine, ProgramFiles(run.engine_path));
  ASSIGN_OR_RETURN(const FileSet config, OneFile(run.folder + "/config.json"));
  ASSIGN_OR_RETURN(const std::vector<std::string> engine_paths,
                   PutOnNodes(engine, targets, kAnswerMs));
  ASSIGN_OR_RETURN(const std::vector<std::string> config_paths,
                   PutOnNodes(config, targets, kAnswerMs));
  for (size_t i = 0; i < targets.size(); ++i) {
    run.nodes.push_back({engine_paths[i], config_paths[i]});
  }
  return OkStatus();
}

}  // namespace

Result<int> LeasePort(const Experiment& experiment, AgentPool& agents,
                      uint64_t seed) {
  const Topology& topology = experiment.topology;
  if (topology.reach.empty()) {
    return FreePort(topology.master_port, seed);
  }
  const std::string& master = topology.nodes.front();
  const std::string context = "a port on node " + master;
  ASSIGN_OR_RETURN(Connection* const agent, AgentOf(topology, master, agents));
  if (topology.master_port != 0) {
    const auto state =
        Ask(*agent, {0, "port_free", {std::to_string(topology.master_port)}},
            kAnswerMs);
    if (!state.ok()) {
      return state.status().WithContext(context);
    }
    if (*state == "free") {
      return topology.master_port;
    }
  }
  const auto picked = Ask(*agent, {0, "pick_port", {}}, kAnswerMs);
  if (!picked.ok()) {
    return picked.status().WithContext(context);
  }
  const int port = std::atoi(picked->c_str());
  if (port <= 0 || port > 65535) {
    return DataLossError(context + ": its agent answers '" + *picked + "'");
  }
  return port;
}

Result<EngineRun> PreparePlaces(const PlacesRequest& request,
                                AgentPool& agents) {
  const Experiment& experiment = request.experiment;
  EngineRun run;
  run.engine_path = request.engine_path;
  run.folder = request.folder;
  run.token = request.token;
  run.master_addr = MasterAddress(experiment.topology);
  run.checkpoint = request.checkpoint;
  ASSIGN_OR_RETURN(run.master_port,
                   LeasePort(experiment, agents, request.seed));
  RETURN_IF_ERROR(MakeFolders(run.folder));
  RETURN_IF_ERROR(WriteFileAtomically(
      run.folder + "/config.json",
      DumpJsonPretty(ToJson(EngineRunConfig(experiment, run))) + "\n"));
  if (!experiment.topology.reach.empty()) {
    RETURN_IF_ERROR(PutOnAll(request, agents, run));
  }
  return run;
}

}  // namespace zs
