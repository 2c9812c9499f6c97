// Which files an experiment file may import: regular files below a few
// folders, never by absolute path, never through a link that leads elsewhere.
#ifndef RUNNER_PLAN_EVAL_IMPORTS_H_
#define RUNNER_PLAN_EVAL_IMPORTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace zs {

inline constexpr int64_t kMaxSourceBytes = int64_t{16} << 20;

// A file that was read.
struct Source {
  std::string path;  // as messages show it
  std::string text;
};

// Resolves imports. Not thread-safe.
class Imports {
 public:
  // FOLDERS are searched in turn after the importing file's own folder. Files
  // may be imported from below FOLDERS and from below ROOTS ("" is the working
  // folder); a root that is not there allows nothing.
  Imports(const std::vector<std::string>& roots,
          std::vector<std::string> folders);

  // The file that the import of NAME means in a file of the folder BASE (empty
  // or ending in '/'). kNotFound names the places looked at; kPermissionDenied
  // where it lies outside; kFailedPrecondition for anything but a regular
  // file; kOutOfRange beyond kMaxSourceBytes.
  Result<Source> Find(const std::string& base, const std::string& name) const;

 private:
  bool IsAllowed(const std::string& real_path) const;

  std::vector<std::string> folders_;
  std::vector<std::string> roots_;  // real paths, each ending in '/'
};

}  // namespace zs

#endif  // RUNNER_PLAN_EVAL_IMPORTS_H_
