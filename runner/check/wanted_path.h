// A path that must be there on the nodes.
#ifndef RUNNER_CHECK_WANTED_PATH_H_
#define RUNNER_CHECK_WANTED_PATH_H_

#include <string>

namespace zs {

struct WantedPath {
  enum class Kind {
    kFile,
    kFolder,
    kWritableFolder,
    kAny,  // a file or a folder
  };
  std::string path;
  Kind kind = Kind::kFile;
  bool same_everywhere = false;  // a file whose content is equal on all nodes
  // What its content must be (the agent's "hash"); empty: whatever it is.
  std::string hash;
};

}  // namespace zs

#endif  // RUNNER_CHECK_WANTED_PATH_H_
