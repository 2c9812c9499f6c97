#include "runner/backend/places.h"

#include <cstdlib>

#include "runner/host/port.h"
#include "runner/reach/ask.h"

namespace zs {
namespace {

// A port that is free on MASTER_ADDR's host.
Result<int> LeasePort(const Topology& topology, AgentPool& agents,
                      uint64_t seed) {
  if (topology.reach.empty()) {
    return FreePort(topology.master_port, seed);
  }
  const std::string& master = topology.nodes.front();
  const std::string context = "a port on node " + master;
  ASSIGN_OR_RETURN(Connection* const agent, AgentOf(topology, master, agents));
  if (topology.master_port != 0) {
    const auto state =
        Ask(*agent, {0, "port_free", {std::to_string(topology.master_port)}},
            kNodeAnswerMs);
    if (!state.ok()) {
      return state.status().WithContext(context);
    }
    if (*state == "free") {
      return topology.master_port;
    }
  }
  const auto picked = Ask(*agent, {0, "pick_port", {}}, kNodeAnswerMs);
  if (!picked.ok()) {
    return picked.status().WithContext(context);
  }
  const int port = std::atoi(picked->c_str());
  if (port <= 0 || port > 65535) {
    return DataLossError(context + ": its agent answers '" + *picked + "'");
  }
  return port;
}

}  // namespace

Result<Connection*> AgentOf(const Topology& topology, const std::string& node,
                            AgentPool& agents) {
  auto connection = agents.Get(node, ReachOf(topology.reach, node));
  if (!connection.ok()) {
    return connection.status().WithContext("node " + node);
  }
  return connection;
}

Status MeetAtPort(const Experiment& experiment, AgentPool& agents,
                  Launch& launch) {
  launch.master_addr = MasterAddress(experiment.topology);
  ASSIGN_OR_RETURN(launch.master_port,
                   LeasePort(experiment.topology, agents, launch.seed));
  return OkStatus();
}

Result<std::vector<std::string>> PutOnAllNodes(const FileSet& files,
                                               const Topology& topology,
                                               AgentPool& agents) {
  std::vector<FileTarget> targets;
  for (const std::string& node : topology.nodes) {
    ASSIGN_OR_RETURN(Connection* const connection,
                     AgentOf(topology, node, agents));
    targets.push_back({node, connection});
  }
  return PutOnNodes(files, targets, kNodeAnswerMs);
}

}  // namespace zs
