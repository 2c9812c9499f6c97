#include "runner/backend/places.h"

#include <cstdlib>

#include "runner/host/port.h"
#include "runner/reach/ask.h"

namespace zs {
namespace {

std::string PortContext(const Topology& topology) {
  return "a port on node " + topology.nodes.front();
}

// Of the agent of the first node behind a `reach`.
Question PortQuestion(const Topology& topology, Connection& agent) {
  Question question;
  question.connection = &agent;
  question.query = {0, "pick_port", {std::to_string(topology.master_port)}};
  return question;
}

Result<int> PortIn(const Question& question, const Topology& topology) {
  if (!question.answer.ok()) {
    return question.answer.status().WithContext(PortContext(topology));
  }
  const int port = std::atoi(question.answer->c_str());
  if (port <= 0 || port > 65535) {
    return DataLossError(PortContext(topology) + ": its agent answers '" +
                         *question.answer + "'");
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
  const Topology& topology = experiment.topology;
  if (!topology.reach.empty()) {
    return MeetWithFiles({}, experiment, agents, launch).status();
  }
  launch.master_addr = MasterAddress(topology);
  ASSIGN_OR_RETURN(launch.master_port,
                   FreePort(topology.master_port, launch.seed));
  return OkStatus();
}

Result<std::vector<std::vector<std::string>>> MeetWithFiles(
    const std::vector<FileSet>& sets, const Experiment& experiment,
    AgentPool& agents, Launch& launch) {
  const Topology& topology = experiment.topology;
  launch.master_addr = MasterAddress(topology);
  std::vector<FileTarget> targets;
  for (const std::string& node : topology.nodes) {
    ASSIGN_OR_RETURN(Connection* const connection,
                     AgentOf(topology, node, agents));
    targets.push_back({node, connection});
  }
  std::vector<Question> port = {
      PortQuestion(topology, *targets.front().connection)};
  ASSIGN_OR_RETURN(auto paths, PutOnNodes(sets, targets, kNodeAnswerMs, port));
  ASSIGN_OR_RETURN(launch.master_port, PortIn(port.front(), topology));
  return paths;
}

}  // namespace zs
