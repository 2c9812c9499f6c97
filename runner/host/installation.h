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

// Looks beside this program: in its Bazel runfiles, or in the folder that
// `bazel run //:install` fills. kNotFound names what is missing and the places
// that were tried.
Result<Installation> FindInstallation();

// The same for a program at EXECUTABLE.
Result<Installation> FindInstallation(const std::string& executable);

}  // namespace zs

#endif  // RUNNER_HOST_INSTALLATION_H_
