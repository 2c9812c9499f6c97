#include "runner/reach/end_leftovers.h"

#include <poll.h>

#include <optional>
#include <variant>

#include "base/clock.h"
#include "runner/reach/ask.h"

namespace zs {
namespace {

// Moves bytes until something has happened or LEFT_MS are over.
void PollOnce(Connection& connection, int64_t left_ms) {
  pollfd polled[3] = {{connection.out_fd(), POLLIN, 0},
                      {connection.err_fd(), POLLIN, 0},
                      {connection.in_fd(), POLLOUT, 0}};
  if (::poll(polled, 3, static_cast<int>(left_ms)) <= 0) {
    return;
  }
  if (polled[0].revents != 0) {
    connection.ReadOut();
  }
  if (polled[1].revents != 0) {
    connection.ReadErr();
  }
  if (polled[2].revents != 0) {
    connection.Flush();
  }
}

Result<StoppedMsg> AwaitStopped(Connection& connection, int64_t timeout_ms) {
  const Clock& clock = RealClock();
  const int64_t end_ns = clock.monotonic_ns() + timeout_ms * 1'000'000;
  for (;;) {
    while (const std::optional<Message> message = connection.Next()) {
      if (const auto* stopped = std::get_if<StoppedMsg>(&*message)) {
        return *stopped;
      }
    }
    if (!connection.status().ok()) {
      return UnavailableError(connection.status().message() + ": " +
                              connection.Obituary());
    }
    const int64_t left_ms = (end_ns - clock.monotonic_ns()) / 1'000'000;
    if (left_ms <= 0) {
      return DeadlineExceededError("no answer within " +
                                   std::to_string(timeout_ms) + " ms");
    }
    PollOnce(connection, left_ms);
  }
}

}  // namespace

Result<Leftovers> EndLeftovers(Connection& connection, const std::string& token,
                               int64_t grace_ms, int64_t timeout_ms) {
  Leftovers leftovers;
  RETURN_IF_ERROR(connection.Send(StopMsg{grace_ms, token}));
  ASSIGN_OR_RETURN(leftovers.stopped, AwaitStopped(connection, timeout_ms));
  if (leftovers.stopped.left < 0) {
    return UnavailableError(leftovers.stopped.note);
  }
  ASSIGN_OR_RETURN(leftovers.record,
                   Ask(connection, {0, "record", {token}}, timeout_ms));
  return leftovers;
}

}  // namespace zs
