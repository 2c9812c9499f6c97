// The pipes over which an agent speaks with its runner. Where a connection may
// be replaced, a process of its own (front.h) stands at its end and hands the
// pipes on through a Unix socket.
#ifndef RUNNER_AGENT_LINK_H_
#define RUNNER_AGENT_LINK_H_

#include "base/descriptor.h"
#include "base/status.h"

namespace zs {

struct Link {
  Descriptor in;
  Descriptor out;
  Descriptor front;  // to the process that handed them on; -1: none
};

// Hands copies of IN and OUT to the agent at the other end of SOCKET.
Status SendLink(int socket, int in, int out);

// The next link that a front has for LISTENER; kUnavailable where it has none
// after all. Waits a second at most.
Result<Link> TakeLink(int listener);

// Over Link::front: how the front process is to end.
inline constexpr char kFrontDetached = 'd';  // this connection is broken
inline constexpr char kFrontEnded = 'e';     // the agent has ended in order

}  // namespace zs

#endif  // RUNNER_AGENT_LINK_H_
