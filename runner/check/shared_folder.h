// Whether a folder is the same one on several nodes.
#ifndef RUNNER_CHECK_SHARED_FOLDER_H_
#define RUNNER_CHECK_SHARED_FOLDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runner/check/result.h"
#include "runner/reach/agent_pool.h"

namespace zs {

struct SharedFolder {
  std::vector<PreflightNode> nodes;  // the first one writes
  std::string path;                  // absolute; made where it is missing
  std::string token;  // a name that nobody else uses: letters, digits, '-'
};

// Writes the token on the first node, reads it on the others and removes it,
// TIMEOUT_MS at most for each of the three. One result "shared_folder" a node.
// A folder that was made for the check is removed again.
std::vector<CheckResult> CheckSharedFolder(const SharedFolder& folder,
                                           AgentPool& agents,
                                           int64_t timeout_ms);

}  // namespace zs

#endif  // RUNNER_CHECK_SHARED_FOLDER_H_
