// Programs and configurations of this host, on the nodes where ranks run.
#ifndef RUNNER_REACH_NODE_FILES_H_
#define RUNNER_REACH_NODE_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "runner/reach/ask.h"
#include "runner/reach/connection.h"

namespace zs {

// A file on this host.
struct NodeFile {
  std::string path;
  std::string name;  // on the nodes
  std::string sha256;
  int64_t bytes = 0;
};

// Files that belong together. On every node they lie in one folder of the
// agent's file store that bears the hash of their names and contents.
struct FileSet {
  std::string hash;
  std::vector<NodeFile> files;
};

// PROGRAM, first, and the plug-ins (*.so) beside it.
Result<FileSet> ProgramFiles(const std::string& program);

// The one file at PATH.
Result<FileSet> OneFile(const std::string& path);

// A program whose files do not change: they are read when they are first asked
// for. Not thread-safe.
class KnownProgram {
 public:
  explicit KnownProgram(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  // As ProgramFiles gives them.
  Result<FileSet> Files();

 private:
  std::string path_;
  std::optional<FileSet> files_;
};

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
