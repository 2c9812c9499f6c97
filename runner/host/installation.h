// Where the programs and files that come with the runner lie.
#ifndef RUNNER_HOST_INSTALLATION_H_
#define RUNNER_HOST_INSTALLATION_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace zs {

struct Installation {
  std::string root;         // holds the following at fixed places
  std::string engine;       // the engine program
  std::string agent;        // the agent program
  std::string experiments;  // the shipped experiment library
};

// Looks beside this program: by the name that it was started by (a link in the
// runfiles of another program), in its own Bazel runfiles, and in the folder
// that `bazel run //:install` fills. kNotFound names what is missing and the
// places that were tried.
Result<Installation> FindInstallation();

// The same for a program at EXECUTABLE that was started as STARTED_AS, which
// may be a link to it; an absolute path.
Result<Installation> FindInstallation(const std::string& executable,
                                      const std::string& started_as);

}  // namespace zs

#endif  // RUNNER_HOST_INSTALLATION_H_
