#include "engine/comm/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <thread>

namespace zs {
namespace {

constexpr std::chrono::milliseconds kRetryPause(50);
constexpr std::chrono::milliseconds kResolvePause(500);

std::string Where(const std::string& host, int port) {
  return host + ":" + std::to_string(port);
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// Asks again until DEADLINE for a name that is not known: that of a node or a
// container that has just been started may not be in DNS yet.
Result<Addresses> Resolve(const std::string& host, int port, int type,
                          Deadline deadline) {
  addrinfo hints = {};
  hints.ai_socktype = type;
  for (;;) {
    addrinfo* list = nullptr;
    const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(),
                                    &hints, &list);
    if (error == 0) {
      return Addresses(list);
    }
    const bool may_come =
        error == EAI_AGAIN || error == EAI_NONAME || error == EAI_NODATA;
    if (!may_come ||
        std::chrono::steady_clock::now() + kResolvePause >= deadline) {
      return InvalidArgumentError("resolve " + host + ": " +
                                  ::gai_strerror(error));
    }
    std::this_thread::sleep_for(kResolvePause);
  }
}

// Waits until FD is ready for EVENTS. kDeadlineExceeded, or a poll error.
Status WaitFor(int fd, short events, Deadline deadline) {
  for (;;) {
    pollfd entry = {fd, events, 0};
    const int ready = ::poll(&entry, 1, MillisecondsUntil(deadline));
    if (ready > 0) {
      return OkStatus();
    }
    if (ready == 0) {
      return DeadlineExceededError("no answer in time");
    }
    if (errno != EINTR) {
      return ErrnoError(errno, "poll");
    }
  }
}

// One attempt at one address.
Result<Descriptor> TryConnect(const addrinfo& address, Deadline deadline) {
  Descriptor fd(::socket(address.ai_family,
                         address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                         address.ai_protocol));
  if (!fd.valid()) {
    return ErrnoError(errno, "socket");
  }
  if (::connect(fd.get(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) {
      return ErrnoError(errno, "connect");
    }
    RETURN_IF_ERROR(WaitFor(fd.get(), POLLOUT, deadline));
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
      return ErrnoError(error, "connect");
    }
  }
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

Result<Descriptor> ListenOn(int family, int port) {
  Descriptor fd(
      ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    return ErrnoError(errno, "socket");
  }
  const int on = 1;
  const int off = 0;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_storage any = {};
  socklen_t size = 0;
  if (family == AF_INET6) {
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    auto* address = reinterpret_cast<sockaddr_in6*>(&any);
    address->sin6_family = AF_INET6;
    address->sin6_port = htons(static_cast<uint16_t>(port));
    size = sizeof *address;
  } else {
    auto* address = reinterpret_cast<sockaddr_in*>(&any);
    address->sin_family = AF_INET;
    address->sin_port = htons(static_cast<uint16_t>(port));
    size = sizeof *address;
  }
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&any), size) != 0 ||
      ::listen(fd.get(), 1024) != 0) {
    return ErrnoError(errno, "listen on port " + std::to_string(port));
  }
  return fd;
}

}  // namespace

Deadline DeadlineIn(double timeout_s) {
  return std::chrono::steady_clock::now() +
         std::chrono::milliseconds(static_cast<int64_t>(timeout_s * 1e3));
}

int MillisecondsUntil(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1 << 30));
}

Result<Descriptor> ListenTcp(int port) {
  Result<Descriptor> both = ListenOn(AF_INET6, port);
  if (both.ok() || both.status().code() == StatusCode::kAlreadyExists) {
    return both;
  }
  return ListenOn(AF_INET, port);  // a kernel without IPv6
}

Result<int> PortOf(int fd) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return ErrnoError(errno, "getsockname");
  }
  // Both families hold the port at the same place.
  return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

Result<Descriptor> ConnectTcp(const std::string& host, int port,
                              Deadline deadline) {
  ASSIGN_OR_RETURN(const Addresses addresses,
                   Resolve(host, port, SOCK_STREAM, deadline));
  Status last = UnavailableError("no address");
  for (;;) {
    for (const addrinfo* a = addresses.get(); a != nullptr; a = a->ai_next) {
      Result<Descriptor> fd = TryConnect(*a, deadline);
      if (fd.ok()) {
        return fd;
      }
      last = fd.status();
    }
    if (std::chrono::steady_clock::now() + kRetryPause >= deadline) {
      return DeadlineExceededError("nobody answers at " + Where(host, port) +
                                   " (" + last.message() + ")");
    }
    std::this_thread::sleep_for(kRetryPause);
  }
}

Status SendAll(int fd, std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {
      RETURN_IF_ERROR(WaitFor(fd, POLLOUT, deadline));
    } else if (errno != EINTR) {
      return UnavailableError(ErrnoError(errno, "send").message());
    }
  }
  return OkStatus();
}

Status ReceiveAll(int fd, void* bytes, size_t size, Deadline deadline) {
  char* at = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t n = ::recv(fd, at, size, 0);
    if (n > 0) {
      at += n;
      size -= static_cast<size_t>(n);
    } else if (n == 0) {
      return UnavailableError("connection closed");
    } else if (errno == EAGAIN) {
      RETURN_IF_ERROR(WaitFor(fd, POLLIN, deadline));
    } else if (errno != EINTR) {
      return UnavailableError(ErrnoError(errno, "receive").message());
    }
  }
  return OkStatus();
}

Result<std::string> AddressTowards(const std::string& host, int port) {
  ASSIGN_OR_RETURN(const Addresses addresses,
                   Resolve(host, port, SOCK_DGRAM, Deadline()));
  Status last = UnavailableError("no address");
  for (const addrinfo* a = addresses.get(); a != nullptr; a = a->ai_next) {
    const Descriptor fd(::socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage local = {};
    socklen_t size = sizeof local;
    char text[NI_MAXHOST];
    if (fd.valid() && ::connect(fd.get(), a->ai_addr, a->ai_addrlen) == 0 &&
        ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&local), &size) ==
            0 &&
        ::getnameinfo(reinterpret_cast<sockaddr*>(&local), size, text,
                      sizeof text, nullptr, 0, NI_NUMERICHOST) == 0) {
      return std::string(text);
    }
    last = ErrnoError(errno, "route");
  }
  return last.WithContext("no way to " + Where(host, port));
}

}  // namespace zs
