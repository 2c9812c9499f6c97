#include "runner/agent/run_briefly.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/spawn.h"

namespace zs {
namespace {

constexpr size_t kMaxOutputBytes = size_t{64} << 10;

// Reads until the end of FD or END_NS; false: the time is over.
bool ReadUntil(int fd, int64_t end_ns, std::string& text) {
  char bytes[4096];
  for (;;) {
    const int64_t left_ms =
        (end_ns - RealClock().monotonic_ns() + 999'999) / 1'000'000;
    pollfd polled{fd, POLLIN, 0};
    if (left_ms <= 0 || ::poll(&polled, 1, static_cast<int>(left_ms)) == 0) {
      return false;
    }
    const ssize_t n = ::read(fd, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return true;
    }
    const size_t room = kMaxOutputBytes - text.size();
    text.append(bytes, std::min(static_cast<size_t>(n), room));
  }
}

}  // namespace

Result<std::string> RunBriefly(const std::vector<std::string>& args) {
  int timeout_ms = 0;
  const std::string text = args.empty() ? "" : args[0];
  if (std::from_chars(text.data(), text.data() + text.size(), timeout_ms).ec !=
          std::errc() ||
      timeout_ms < 1 || timeout_ms > 60'000) {
    return InvalidArgumentError("time limit '" + text +
                                "': 1 to 60000 ms is allowed");
  }
  ASSIGN_OR_RETURN(Pipe pipe, MakePipe());
  SpawnSpec spec;
  spec.argv.assign(args.begin() + 1, args.end());
  spec.env = OwnEnvironment();
  spec.stdout_fd = pipe.write.get();
  spec.stderr_fd = pipe.write.get();
  spec.new_session = true;
  spec.parent_death_signal = SIGKILL;
  ASSIGN_OR_RETURN(const pid_t pid, Spawn(spec));
  pipe.write.Reset();
  std::string printed;
  const bool in_time = ReadUntil(
      pipe.read.get(),
      RealClock().monotonic_ns() + int64_t{timeout_ms} * 1'000'000, printed);
  if (!in_time) {
    ::kill(-pid, SIGKILL);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    return DeadlineExceededError("'" + args[1] + "' took longer than " + text +
                                 " ms");
  }
  return (WIFEXITED(status) ? "exit " + std::to_string(WEXITSTATUS(status))
                            : "signal " + std::to_string(WTERMSIG(status))) +
         "\n" + printed;
}

}  // namespace zs
