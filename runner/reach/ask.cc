#include "runner/reach/ask.h"

#include <poll.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "base/clock.h"

namespace zs {
namespace {

// Different for each question, so that a late answer to an earlier one is not
// taken for the answer to this one.
int64_t NextSeq() {
  static std::atomic<int64_t> seq = 0;
  return ++seq;
}

// The answer to question SEQ among what has arrived.
std::optional<AnswerMsg> FindAnswer(Connection& connection, int64_t seq) {
  while (const std::optional<Message> message = connection.Next()) {
    const auto* answer = std::get_if<AnswerMsg>(&*message);
    if (answer != nullptr && answer->seq == seq) {
      return *answer;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> Ask(Connection& connection, QueryMsg query,
                        int64_t timeout_ms) {
  query.seq = NextSeq();
  const int64_t end_ns = RealClock().monotonic_ns() + timeout_ms * 1'000'000;
  RETURN_IF_ERROR(connection.Send(query));
  for (;;) {
    if (const auto answer = FindAnswer(connection, query.seq)) {
      return answer->ok != 0 ? Result<std::string>(answer->text)
                             : FailedPreconditionError(answer->text);
    }
    if (!connection.status().ok()) {
      return UnavailableError(connection.Obituary());
    }
    const int64_t left_ms =
        (end_ns - RealClock().monotonic_ns() + 999'999) / 1'000'000;
    if (left_ms <= 0) {
      return DeadlineExceededError(
          "'" + connection.command_line() + "' has not answered '" +
          query.name + "' within " + std::to_string(timeout_ms) + " ms");
    }
    pollfd polled[3] = {{connection.out_fd(), POLLIN, 0},
                        {connection.err_fd(), POLLIN, 0},
                        {connection.in_fd(), POLLOUT, 0}};
    if (::poll(polled, 3, static_cast<int>(left_ms)) < 0 && errno != EINTR) {
      return ErrnoError(errno, "poll");
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
}

}  // namespace zs
