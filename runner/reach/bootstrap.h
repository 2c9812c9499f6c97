// How the agent gets to a node that may not have it yet.
#ifndef RUNNER_REACH_BOOTSTRAP_H_
#define RUNNER_REACH_BOOTSTRAP_H_

#include <string>

#include "base/status.h"

namespace zs {

// What a POSIX shell on the node reads from its stdin. SCRIPT starts the agent
// of this content hash from the user's cache folder. Where it is not there the
// script asks (kNeedsAgentMarker on stdout), takes exactly PROGRAM from its
// stdin, checks it, and moves it to its place in one step; copies of other
// versions that were not used for a week are removed.
//
// A way to reach a node therefore has to carry one word only, `sh`, which means
// the same whether it is passed on as it is (docker exec, srun) or read by a
// login shell first (ssh).
struct Bootstrap {
  std::string script;  // with a place for the argument
  std::string program;

  // The script that starts the program with ARGUMENT (words of letters and
  // digits, or empty).
  std::string ScriptFor(const std::string& argument) const;
};

inline constexpr char kNeedsAgentMarker[] = "\nzerosweep-needs-agent\n";

// For the agent program at AGENT_PATH. kNotFound and so on where the program
// cannot be read.
Result<Bootstrap> MakeBootstrap(const std::string& agent_path);

}  // namespace zs

#endif  // RUNNER_REACH_BOOTSTRAP_H_
