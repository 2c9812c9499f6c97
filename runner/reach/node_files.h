// Puts programs and configurations of this host on the nodes where ranks run.
#ifndef RUNNER_REACH_NODE_FILES_H_
#define RUNNER_REACH_NODE_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "runner/reach/ask.h"
#include "runner/reach/connection.h"
#include "runner/reach/file_set.h"

namespace zs {

// A node to put files on.
struct FileTarget {
  std::string node;  // for messages
  Connection* connection = nullptr;
};

// Puts FILES on all TARGETS at the same time, where they are not there with
// this very content. TIMEOUT_MS for each answer. Returns the path of the first
// file of FILES on each target, in order; an error names the node.
Result<std::vector<std::string>> PutOnNodes(
    const FileSet& files, const std::vector<FileTarget>& targets,
    int64_t timeout_ms);

// The same for several sets: the paths by set, then by target. Where nothing
// has to be sent that is not small, all takes a single round, in which ALSO is
// asked, too, behind the files of the connection.
Result<std::vector<std::vector<std::string>>> PutOnNodes(
    const std::vector<FileSet>& sets, const std::vector<FileTarget>& targets,
    int64_t timeout_ms, std::vector<Question>& also);

}  // namespace zs

#endif  // RUNNER_REACH_NODE_FILES_H_
