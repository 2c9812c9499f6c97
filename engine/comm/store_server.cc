#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <list>
#include <map>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "engine/comm/store.h"
#include "engine/comm/store_protocol.h"

namespace zs {
namespace {

using store::AppendU32;
using store::ReadU32;

constexpr size_t kMaxConnections = 8192;
constexpr size_t kRequestHead = 9;
constexpr double kHelloTimeout_s = 10;  // for a connection to present itself

// One client: what it has sent and not yet had answered, and what it waits for.
struct Connection {
  Descriptor fd;
  Deadline hello_by;
  bool admitted = false;
  std::string in;
  std::string out;
  std::string awaited;  // key of a Get that is not answered yet
  bool waiting = false;
};

// Compares without telling by its time where the difference lies.
bool SameToken(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return difference == 0;
}

void Reply(Connection& c, char status, std::string_view value) {
  c.out.push_back(status);
  AppendU32(c.out, value.size());
  c.out.append(value);
}

}  // namespace

// The server's state and its thread; all but Stop runs on that thread.
class StoreServer::Loop {
 public:
  Loop(Descriptor listener, Descriptor wake, int port, std::string_view token)
      : listener_(std::move(listener)),
        wake_(std::move(wake)),
        port_(port),
        token_(token),
        thread_([this] { Run(); }) {}

  ~Loop() {
    const uint64_t one = 1;
    // An eventfd takes the first write whatever happens.
    [[maybe_unused]] const ssize_t n = ::write(wake_.get(), &one, sizeof one);
    thread_.join();
  }

  int port() const { return port_; }

 private:
  void Run();
  void Accept();
  bool Serve(Connection& c, short events);
  bool ReadSome(Connection& c);
  bool WriteSome(Connection& c);
  bool Admit(Connection& c);
  bool Answer(Connection& c);
  bool AnswerAll(Connection& c);
  void Set(Connection& c, const std::string& key, std::string value);

  Descriptor listener_;
  Descriptor wake_;
  const int port_;
  const std::string token_;
  std::map<std::string, std::string> values_;
  size_t total_bytes_ = 0;
  std::list<Connection> connections_;
  std::thread thread_;
};

void StoreServer::Loop::Run() {
  std::vector<pollfd> polled;
  for (;;) {
    polled = {{wake_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const Connection& c : connections_) {
      const short out = c.out.empty() ? 0 : POLLOUT;
      polled.push_back({c.fd.get(), static_cast<short>(POLLIN | out), 0});
    }
    if (::poll(polled.data(), polled.size(), 1000) < 0 && errno != EINTR) {
      return;
    }
    if (polled[0].revents != 0) {
      return;
    }
    size_t i = 2;
    for (auto c = connections_.begin(); c != connections_.end(); ++i) {
      const bool late = !c->admitted && MillisecondsUntil(c->hello_by) == 0;
      c = late || !Serve(*c, polled[i].revents) ? connections_.erase(c)
                                                : std::next(c);
    }
    if (polled[1].revents != 0) {
      Accept();
    }
  }
}

void StoreServer::Loop::Accept() {
  Descriptor fd(::accept4(listener_.get(), nullptr, nullptr,
                          SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd.valid() || connections_.size() >= kMaxConnections) {
    return;
  }
  Connection c;
  c.fd = std::move(fd);
  c.hello_by = DeadlineIn(kHelloTimeout_s);
  connections_.push_back(std::move(c));
}

// False where the connection is to be closed.
bool StoreServer::Loop::Serve(Connection& c, short events) {
  if ((events & (POLLIN | POLLHUP | POLLERR)) != 0 && !ReadSome(c)) {
    return false;
  }
  return AnswerAll(c) && WriteSome(c);
}

bool StoreServer::Loop::ReadSome(Connection& c) {
  char block[65536];
  const ssize_t n = ::recv(c.fd.get(), block, sizeof block, 0);
  if (n <= 0) {
    return n < 0 && (errno == EAGAIN || errno == EINTR);
  }
  c.in.append(block, static_cast<size_t>(n));
  // A client has one request under way, so that more than one is a fault.
  return c.in.size() <= kRequestHead + store::kMaxKey + store::kMaxValue;
}

bool StoreServer::Loop::WriteSome(Connection& c) {
  while (!c.out.empty()) {
    const ssize_t n =
        ::send(c.fd.get(), c.out.data(), c.out.size(), MSG_NOSIGNAL);
    if (n < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    c.out.erase(0, static_cast<size_t>(n));
  }
  return true;
}

// Checks magic and token as far as they have come.
bool StoreServer::Loop::Admit(Connection& c) {
  const size_t head = store::kMagic.size() + 4;
  const size_t n = std::min(c.in.size(), store::kMagic.size());
  if (c.in.compare(0, n, store::kMagic, 0, n) != 0) {
    return false;
  }
  if (c.in.size() < head) {
    return true;
  }
  const size_t size = ReadU32(std::string_view(c.in).substr(head - 4));
  if (size > store::kMaxToken) {
    return false;
  }
  if (c.in.size() < head + size) {
    return true;
  }
  const std::string_view token = std::string_view(c.in).substr(head, size);
  if (!token_.empty() && !SameToken(token, token_)) {
    return false;
  }
  c.in.erase(0, head + size);
  c.admitted = true;
  c.out.push_back(store::kDone);
  return true;
}

bool StoreServer::Loop::AnswerAll(Connection& c) {
  if (!c.admitted && !Admit(c)) {
    return false;
  }
  while (c.admitted && !c.waiting && c.in.size() >= kRequestHead) {
    const size_t before = c.in.size();
    if (!Answer(c)) {
      return false;
    }
    if (c.in.size() == before) {
      break;  // the rest of the request has not come yet
    }
  }
  return true;
}

// Carries out the request at the front of c.in if it is there whole.
bool StoreServer::Loop::Answer(Connection& c) {
  const char op = c.in[0];
  const size_t key_size = ReadU32(std::string_view(c.in).substr(1));
  const size_t value_size = ReadU32(std::string_view(c.in).substr(5));
  if (key_size > store::kMaxKey || value_size > store::kMaxValue) {
    return false;
  }
  if (c.in.size() < kRequestHead + key_size + value_size) {
    return true;
  }
  const std::string key = c.in.substr(kRequestHead, key_size);
  std::string value = c.in.substr(kRequestHead + key_size, value_size);
  c.in.erase(0, kRequestHead + key_size + value_size);
  const auto found = values_.find(key);
  if (op == store::kSet) {
    if (total_bytes_ + key.size() + value.size() > store::kMaxTotal) {
      return false;
    }
    Set(c, key, std::move(value));
  } else if (op == store::kGet || op == store::kTryGet) {
    if (found != values_.end()) {
      Reply(c, store::kDone, found->second);
    } else if (op == store::kTryGet) {
      Reply(c, store::kUnset, "");
    } else {
      c.awaited = key;
      c.waiting = true;
    }
  } else {
    return false;
  }
  return true;
}

void StoreServer::Loop::Set(Connection& c, const std::string& key,
                            std::string value) {
  const size_t bytes = key.size() + value.size();
  const auto [entry, is_new] = values_.emplace(key, std::move(value));
  if (!is_new) {
    Reply(c, store::kOther, "");
    return;
  }
  total_bytes_ += bytes;
  Reply(c, store::kDone, "");
  for (Connection& other : connections_) {
    if (other.waiting && other.awaited == key) {
      other.waiting = false;
      Reply(other, store::kDone, entry->second);
    }
  }
}

Result<std::unique_ptr<StoreServer>> StoreServer::Start(
    int port, std::string_view token) {
  ASSIGN_OR_RETURN(Descriptor listener, ListenTcp(port));
  ASSIGN_OR_RETURN(const int bound, PortOf(listener.get()));
  Descriptor wake(::eventfd(0, EFD_CLOEXEC));
  if (!wake.valid()) {
    return ErrnoError(errno, "eventfd");
  }
  return std::unique_ptr<StoreServer>(new StoreServer(std::make_unique<Loop>(
      std::move(listener), std::move(wake), bound, token)));
}

StoreServer::StoreServer(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
StoreServer::~StoreServer() = default;
int StoreServer::port() const {
  return loop_->port();
}

}  // namespace zs
