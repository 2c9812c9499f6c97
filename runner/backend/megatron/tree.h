// Asks the nodes which Megatron-LM they have.
#ifndef RUNNER_BACKEND_MEGATRON_TREE_H_
#define RUNNER_BACKEND_MEGATRON_TREE_H_

#include <string>

#include "base/status.h"
#include "runner/backend/megatron/version.h"
#include "runner/plan/spec/experiment.h"
#include "runner/reach/agent_pool.h"

namespace zs {

// The version that every node's tree has: its package_info.py, read through
// the node's agent, else what its script's --help shows. kNotFound where a tree
// is missing or unknown (with what was tried), kFailedPrecondition where nodes
// have different versions or one that differs from the one declared,
// kUnavailable where a node does not answer.
Result<MegatronVersion> VersionOnNodes(const Experiment& experiment,
                                       AgentPool& agents);

// The path of the script that SPEC names.
std::string ScriptOf(const MegatronSpec& spec);

// The version of a tree on this host, from its package_info.py.
Result<MegatronVersion> VersionOnThisHost(const std::string& root);

}  // namespace zs

#endif  // RUNNER_BACKEND_MEGATRON_TREE_H_
