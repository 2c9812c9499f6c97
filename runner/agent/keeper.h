// The agent's second process: it does nothing but see to it that the death of
// the first, however sudden, is the end of all that was started.
#ifndef RUNNER_AGENT_KEEPER_H_
#define RUNNER_AGENT_KEEPER_H_

#include <functional>
#include <string>

#include "runner/agent/owned_processes.h"

namespace zs {

// Tells the keeper of a token.
using TellToken = std::function<void(const std::string&)>;

// Forks. The child calls AGENT and exits with its result; it gets SIGTERM if
// the keeper goes first. The parent, the keeper, waits for it, kills what it
// leaves, and returns the exit status for the whole program: the agent's, or
// 128
// + the signal that ended it (and a line on stderr that says so).
int RunUnderKeeper(OwnedProcesses& owned,
                   const std::function<int(const TellToken&)>& agent);

}  // namespace zs

#endif  // RUNNER_AGENT_KEEPER_H_
