// Who listens on a TCP port of this host.
#ifndef RUNNER_AGENT_PORT_HOLDER_H_
#define RUNNER_AGENT_PORT_HOLDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zs {

// The socket's number (inode) of the listener on PORT in the text of
// /proc/net/tcp or tcp6; empty where there is none.
std::optional<uint64_t> ListenerOn(int port, std::string_view table);

// "pid 12 (python3)", "a process of another user", or "" where nobody listens.
std::string PortHolder(int port);

}  // namespace zs

#endif  // RUNNER_AGENT_PORT_HOLDER_H_
