#include "runner/agent/port_facts.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>

#include "base/clock.h"
#include "runner/agent/port_holder.h"

namespace zs {
namespace {

// Argument AT as a number from LOWEST to HIGHEST.
Result<int> NumberAt(const std::vector<std::string>& args, size_t at,
                     const std::string& what, int lowest, int highest) {
  const std::string text = at < args.size() ? args[at] : "";
  int number = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() ||
      number < lowest || number > highest) {
    return InvalidArgumentError(what + " '" + text +
                                "': " + std::to_string(lowest) + " to " +
                                std::to_string(highest) + " is allowed");
  }
  return number;
}

Result<int> PortAt(const std::vector<std::string>& args, size_t at) {
  return NumberAt(args, at, "port", 1, 65535);
}

// A socket address of either version.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&storage);
  }
};

Address AnyV6(int port) {
  Address address;
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(static_cast<uint16_t>(port));
  address.size = sizeof *v6;
  return address;
}

Address AnyV4(int port) {
  Address address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  v4->sin_family = AF_INET;
  v4->sin_port = htons(static_cast<uint16_t>(port));
  address.size = sizeof *v4;
  return address;
}

Result<Address> ParseAddress(const std::string& text, int port) {
  Address v4 = AnyV4(port);
  if (::inet_pton(AF_INET, text.c_str(),
                  &reinterpret_cast<sockaddr_in*>(&v4.storage)->sin_addr) ==
      1) {
    return v4;
  }
  Address v6 = AnyV6(port);
  if (::inet_pton(AF_INET6, text.c_str(),
                  &reinterpret_cast<sockaddr_in6*>(&v6.storage)->sin6_addr) ==
      1) {
    return v6;
  }
  return InvalidArgumentError("address '" + text +
                              "': a numeric IPv4 or IPv6 address is needed");
}

// A socket bound to PORT of every address, of version 6 (which stands for both)
// where this host has it.
Result<Descriptor> Bind(int port) {
  Address any = AnyV6(port);
  Descriptor socket(
      ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.valid()) {
    const int off = 0;
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  } else {
    any = AnyV4(port);
    socket.Reset(
        ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  }
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), any.get(), any.size) != 0) {
    const std::string what = "port " + std::to_string(port);
    return errno == EADDRINUSE ? AlreadyExistsError(what + " is in use")
                               : ErrnoError(errno, what);
  }
  return socket;
}

}  // namespace

Result<std::string> PortFree(const std::vector<std::string>& args) {
  ASSIGN_OR_RETURN(const int port, PortAt(args, 0));
  const Result<Descriptor> bound = Bind(port);
  if (bound.ok()) {
    return std::string("free");
  }
  if (bound.status().code() == StatusCode::kAlreadyExists) {
    return std::string("busy");
  }
  return bound.status();
}

Result<std::string> PickPort(const std::vector<std::string>& args) {
  if (!args.empty() && args[0] != "0") {
    ASSIGN_OR_RETURN(const int wanted, PortAt(args, 0));
    if (Bind(wanted).ok()) {
      return std::to_string(wanted);
    }
  }
  constexpr int kLowest = 20'000;
  int highest = 32'767;
  int first = 0;
  std::ifstream range("/proc/sys/net/ipv4/ip_local_port_range");
  if (range >> first && first - 1 >= kLowest + 1000) {
    highest = first - 1;
  }
  std::random_device random;
  const auto ports = static_cast<unsigned>(highest - kLowest + 1);
  for (int attempt = 0; attempt < 200; ++attempt) {
    const int port = kLowest + static_cast<int>(random() % ports);
    if (Bind(port).ok()) {
      return std::to_string(port);
    }
  }
  return ResourceExhaustedError("no free port from " + std::to_string(kLowest) +
                                " to " + std::to_string(highest));
}

Result<Descriptor> OpenListener(const std::vector<std::string>& args) {
  ASSIGN_OR_RETURN(const int port, PortAt(args, 0));
  Result<Descriptor> socket = Bind(port);
  if (socket.status().code() == StatusCode::kAlreadyExists) {
    const std::string holder = PortHolder(port);
    return AlreadyExistsError(socket.status().message() +
                              (holder.empty() ? "" : " by " + holder));
  }
  if (socket.ok() && ::listen(socket->get(), 128) != 0) {
    return ErrnoError(errno, "listen on port " + args[0]);
  }
  return socket;
}

Result<std::string> ConnectTo(const std::vector<std::string>& args) {
  ASSIGN_OR_RETURN(const int port, PortAt(args, 1));
  ASSIGN_OR_RETURN(const int timeout_ms,
                   NumberAt(args, 2, "time limit", 1, 60'000));
  ASSIGN_OR_RETURN(const Address address, ParseAddress(args[0], port));
  const std::string what = "connect to " + args[0] + " port " + args[1];
  const Descriptor socket(::socket(
      address.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int64_t begin_ns = RealClock().monotonic_ns();
  if (::connect(socket.get(), address.get(), address.size) != 0 &&
      errno != EINPROGRESS) {
    return ErrnoError(errno, what);
  }
  pollfd polled{socket.get(), POLLOUT, 0};
  if (::poll(&polled, 1, timeout_ms) <= 0) {
    return DeadlineExceededError(what + ": no answer within " + args[2] +
                                 " ms (dropped by a firewall?)");
  }
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    return ErrnoError(error, what);
  }
  return std::to_string((RealClock().monotonic_ns() - begin_ns) / 1'000'000);
}

}  // namespace zs
