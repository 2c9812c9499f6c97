#include "engine/comm/presence.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <random>
#include <string>
#include <utility>

namespace zs {
namespace {

constexpr const char* kKey = "presence";
constexpr size_t kSecretSize = 16;
constexpr double kHelloTimeoutS = 2;

// What a rank says first: the secret that the store told it, and its number.
struct Hello {
  std::array<char, kSecretSize> secret = {};
  int32_t rank = -1;
};

std::string Secret() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device random;
  std::string secret;
  for (size_t i = 0; i < kSecretSize; ++i) {
    secret += kDigits[random() % kDigits.size()];
  }
  return secret;
}

// Probes a silent peer, so that a host without power is noticed.
void KeepAlive(int fd) {
  const auto set = [fd](int level, int name, int value) {
    (void)::setsockopt(fd, level, name, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

}  // namespace

Result<std::unique_ptr<Presence>> Presence::Join(Rendezvous& rendezvous,
                                                 Deadline deadline) {
  const RankEnvironment& env = rendezvous.env();
  std::unique_ptr<Presence> result(new Presence(env.rank));
  result->peers_.resize(env.world_size);
  RETURN_IF_ERROR(env.rank == 0 ? result->Serve(rendezvous, deadline)
                                : result->Connect(rendezvous, deadline));
  for (const Descriptor& peer : result->peers_) {
    if (peer.valid()) {
      KeepAlive(peer.get());
    }
  }
  return result;
}

Status Presence::Serve(Rendezvous& rendezvous, Deadline deadline) {
  ASSIGN_OR_RETURN(const Descriptor listener, ListenTcp(0));
  ASSIGN_OR_RETURN(const int port, PortOf(listener.get()));
  const std::string secret = Secret();
  RETURN_IF_ERROR(rendezvous.store().Set(
      kKey, std::to_string(port) + " " + secret, deadline));
  for (size_t there = 1; there < peers_.size();) {
    RETURN_IF_ERROR(Accept(listener, secret, deadline));
    there = 1;
    for (const Descriptor& peer : peers_) {
      there += peer.valid() ? 1 : 0;
    }
  }
  return OkStatus();
}

// One connection, which need not be one of ours.
Status Presence::Accept(const Descriptor& listener, std::string_view secret,
                        Deadline deadline) {
  pollfd entry = {listener.get(), POLLIN, 0};
  const int ready = ::poll(&entry, 1, MillisecondsUntil(deadline));
  if (ready == 0 || MillisecondsUntil(deadline) == 0) {
    return DeadlineExceededError(
        "not every rank connected to rank 0 in time; see that ports other than "
        "MASTER_PORT are let through between the nodes");
  }
  Descriptor peer(::accept4(listener.get(), nullptr, nullptr,
                            SOCK_CLOEXEC | SOCK_NONBLOCK));
  Hello hello;
  if (!peer.valid() ||
      !ReceiveAll(peer.get(), &hello, sizeof hello,
                  std::min(deadline, DeadlineIn(kHelloTimeoutS)))
           .ok()) {
    return OkStatus();
  }
  const bool ours =
      std::string_view(hello.secret.data(), kSecretSize) == secret &&
      hello.rank > 0 && hello.rank < static_cast<int>(peers_.size());
  if (ours) {
    peers_[hello.rank] = std::move(peer);
  }
  return OkStatus();
}

Status Presence::Connect(Rendezvous& rendezvous, Deadline deadline) {
  const RankEnvironment& env = rendezvous.env();
  ASSIGN_OR_RETURN(const std::string place,
                   rendezvous.store().Get(kKey, deadline));
  int port = 0;
  const auto [end, error] =
      std::from_chars(place.data(), place.data() + place.size(), port);
  const std::string secret(end, place.data() + place.size());
  if (error != std::errc() || secret.size() != kSecretSize + 1) {
    return FailedPreconditionError("rank 0 told no port: '" + place + "'");
  }
  ASSIGN_OR_RETURN(peers_[0], ConnectTcp(env.master_addr, port, deadline));
  Hello hello;
  hello.rank = env.rank;
  std::memcpy(hello.secret.data(), secret.data() + 1, kSecretSize);
  return SendAll(peers_[0].get(),
                 {reinterpret_cast<const char*>(&hello), sizeof hello},
                 deadline);
}

// Whether PEER has closed its connection, or told who has.
void Presence::Look(int peer) {
  int32_t told = -1;
  const ssize_t n =
      ::recv(peers_[peer].get(), &told, sizeof told, MSG_DONTWAIT);
  const bool silent =
      n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  if (silent) {
    return;
  }
  lost_ = n == static_cast<ssize_t>(sizeof told) ? told : peer;
}

// Those that are left; best effort.
void Presence::Tell() {
  const int32_t lost = *lost_;
  for (const Descriptor& peer : peers_) {
    if (peer.valid()) {
      (void)::send(peer.get(), &lost, sizeof lost, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
  }
}

std::optional<int> Presence::Lost() {
  for (size_t peer = 0; peer < peers_.size() && !lost_; ++peer) {
    if (peers_[peer].valid()) {
      Look(static_cast<int>(peer));
      if (lost_ && rank_ == 0) {
        Tell();
      }
    }
  }
  return lost_;
}

}  // namespace zs
