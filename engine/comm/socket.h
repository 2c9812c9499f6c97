// TCP connections with deadlines, for the rendezvous.
#ifndef ENGINE_COMM_SOCKET_H_
#define ENGINE_COMM_SOCKET_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/status.h"

namespace zs {

using Deadline = std::chrono::steady_clock::time_point;

// The deadline TIMEOUT_S seconds from now.
Deadline DeadlineIn(double timeout_s);

// Milliseconds until DEADLINE, at least 0; for poll(2).
int MillisecondsUntil(Deadline deadline);

// Listens on PORT of every address (IPv6 and IPv4); 0 takes a free port.
// kAlreadyExists where another process has the port.
Result<Descriptor> ListenTcp(int port);

// The port that FD listens on.
Result<int> PortOf(int fd);

// Connects, trying again until DEADLINE while HOST is no known name or nobody
// listens at HOST:PORT. kDeadlineExceeded tells the last cause;
// kInvalidArgument for a host name that does not resolve by then.
Result<Descriptor> ConnectTcp(const std::string& host, int port,
                              Deadline deadline);

// Writes or reads all bytes, or fails: kUnavailable for a closed connection,
// kDeadlineExceeded. After an error the connection is of no more use.
Status SendAll(int fd, std::string_view bytes, Deadline deadline);
Status ReceiveAll(int fd, void* bytes, size_t size, Deadline deadline);

// The local numeric address from which packets to HOST leave.
Result<std::string> AddressTowards(const std::string& host, int port);

}  // namespace zs

#endif  // ENGINE_COMM_SOCKET_H_
