// Files of this host that belong together: programs with their plug-ins,
// configurations.
#ifndef RUNNER_REACH_FILE_SET_H_
#define RUNNER_REACH_FILE_SET_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

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

// What of a program counts. A plug-in is a *.so beside it; the engine opens
// its own on GPUs alone.
enum class ProgramParts { kAlone, kWithPlugins };

// What of the engine ranks on DEVICE ("cpu" or "cuda") use.
ProgramParts EnginePartsOn(const std::string& device);

// PROGRAM, first, and what else PARTS names, by name.
Result<FileSet> ProgramFiles(const std::string& program, ProgramParts parts);

// The one file at PATH.
Result<FileSet> OneFile(const std::string& path);

// A program whose files do not change: they are read when they are first asked
// for. Not thread-safe.
class KnownProgram {
 public:
  explicit KnownProgram(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  // As ProgramFiles gives them.
  Result<FileSet> Files(ProgramParts parts);

 private:
  std::string path_;
  std::array<std::optional<FileSet>, 2> files_;  // by ProgramParts
};

}  // namespace zs

#endif  // RUNNER_REACH_FILE_SET_H_
