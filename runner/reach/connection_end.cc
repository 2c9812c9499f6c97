// The end of a connection: alone, or of many at the same time.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/spawn.h"
#include "runner/reach/connection.h"

namespace zs {
namespace {

// An agent that has been told to end needs its grace and a look around.
constexpr int64_t kEndMs = 20'000;
// What has never answered as an agent owns nothing.
constexpr int64_t kStrangerEndMs = 1000;

}  // namespace

bool Connection::Collect(int64_t timeout_ms) {
  if (pid_ > 0) {
    const std::optional<int> status = AwaitExit(pid_, timeout_ms);
    if (!status) {
      return false;
    }
    wait_status_ = *status;
    pid_ = 0;
  }
  return true;
}

void Connection::Release(const std::string& why) {
  if (!Collect(kExitMs)) {
    ::kill(-pid_, SIGKILL);  // its own session, and not yet waited for
    (void)Collect(kExitMs);
  }
  pid_ = 0;
  out_.Reset();
  err_.Reset();
  Break(UnavailableError(why));
}

void Connection::HangUp() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);  // its own session, and not yet waited for
  }
  Release("the connection is broken");
}

Connection::~Connection() {
  CloseAll({this});
}

void Connection::EndInput() {
  if (resumable() && greeting_ && status_.ok()) {
    (void)Send(ByeMsg{});
  }
  in_.Reset();
}

void Connection::Finish() {
  if (pid_ > 0 && err_.valid()) {
    ::kill(pid_, SIGKILL);
  }
  Release("the connection is closed");
}

void Connection::AwaitEnds(std::vector<Connection*> connections,
                           int64_t timeout_ms) {
  const int64_t end_ns = RealClock().monotonic_ns() + timeout_ms * 1'000'000;
  for (;;) {
    std::erase_if(connections, [](const Connection* c) { return c->ended(); });
    const int64_t left_ms =
        (end_ns - RealClock().monotonic_ns() + 999'999) / 1'000'000;
    std::vector<pollfd> polled;
    for (const Connection* c : connections) {
      polled.push_back({c->out_.get(), POLLIN, 0});
      polled.push_back({c->err_.get(), POLLIN, 0});
    }
    if (polled.empty() || left_ms <= 0 ||
        (::poll(polled.data(), polled.size(), static_cast<int>(left_ms)) < 0 &&
         errno != EINTR)) {
      return;
    }
    // What still comes is of no interest, but no agent may block on it.
    for (size_t i = 0; i < connections.size(); ++i) {
      if (polled[2 * i].revents != 0) {
        connections[i]->ReadOut();
      }
      if (polled[2 * i + 1].revents != 0) {
        connections[i]->ReadErr();
      }
    }
  }
}

void Connection::Close(int64_t timeout_ms) {
  EndInput();
  AwaitEnds({this}, timeout_ms);
  Finish();
}

void Connection::CloseAll(const std::vector<Connection*>& connections) {
  std::vector<Connection*> agents;
  std::vector<Connection*> strangers;
  for (Connection* c : connections) {
    (c->IsAgent() ? agents : strangers).push_back(c);
    c->EndInput();
  }
  AwaitEnds(connections, strangers.empty() ? kEndMs : kStrangerEndMs);
  for (Connection* c : strangers) {
    c->Finish();
  }
  AwaitEnds(agents, strangers.empty() ? 0 : kEndMs);
  for (Connection* c : agents) {
    c->Finish();
  }
}

}  // namespace zs
