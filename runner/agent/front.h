// The process that stands at the end of one connection, while the agent proper
// is a process of another session that outlives it: it hands its stdin and
// stdout to the agent and waits until the agent is done with them.
#ifndef RUNNER_AGENT_FRONT_H_
#define RUNNER_AGENT_FRONT_H_

#include <functional>
#include <string>

#include "base/descriptor.h"

namespace zs {

// Starts OWN in a process of its own that takes connections at LISTENER, and
// becomes the front of the first one. What OWN writes to stderr goes to this
// process's. LISTENER is OWN's from then on. The exit status for the whole
// program.
int ServeFront(const std::string& session, Descriptor& listener,
               const std::function<int()>& own);

// Becomes the front of one more connection to the agent of SESSION. Where there
// is none, the runner is told so with a NoteMsg.
int AttachFront(const std::string& session);

}  // namespace zs

#endif  // RUNNER_AGENT_FRONT_H_
