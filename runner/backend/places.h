// Where the processes of one run meet, and what is put on their nodes.
#ifndef RUNNER_BACKEND_PLACES_H_
#define RUNNER_BACKEND_PLACES_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "runner/backend/launch.h"
#include "runner/plan/spec/experiment.h"
#include "runner/reach/agent_pool.h"
#include "runner/reach/connection.h"
#include "runner/reach/node_files.h"

namespace zs {

// How long a node may take for an answer, an agent that has to be put there
// first included.
inline constexpr int64_t kNodeAnswerMs = 60'000;

// The agent of NODE. kUnavailable where it is not to be reached.
Result<Connection*> AgentOf(const Topology& topology, const std::string& node,
                            AgentPool& agents);

// Fills in where the ranks meet: MASTER_ADDR, and a port that is free on that
// host (the experiment's own where it is free, else another). Behind a `reach`
// the first node's agent is asked.
Status MeetAtPort(const Experiment& experiment, AgentPool& agents,
                  Launch& launch);

// The same behind a `reach`, and puts SETS on every node that does not have
// them with this content, in one go; where the first file of each lies, by set,
// then by node.
Result<std::vector<std::vector<std::string>>> MeetWithFiles(
    const std::vector<FileSet>& sets, const Experiment& experiment,
    AgentPool& agents, Launch& launch);

}  // namespace zs

#endif  // RUNNER_BACKEND_PLACES_H_
