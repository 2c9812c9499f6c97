#include "runner/agent/run_briefly.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/spawn.h"

namespace zs {
namespace {

// For the end of a program that has been killed. One that sleeps in the kernel
// is let go of: the agent collects all its children.
constexpr int64_t kKilledMs = 1000;

int64_t LeftMs(int64_t end_ns) {
  return (end_ns - RealClock().monotonic_ns() + 999'999) / 1'000'000;
}

// Reads until the end of FD, or of what RUN waits for, or END_NS; false: the
// time is over.
bool ReadUntil(int fd, const BriefRun& run, int64_t end_ns, std::string& text) {
  char bytes[4096];
  for (;;) {
    const int64_t left_ms = LeftMs(end_ns);
    pollfd polled{fd, POLLIN, 0};
    const int ready =
        left_ms <= 0 ? 0 : ::poll(&polled, 1, static_cast<int>(left_ms));
    if (ready == 0) {
      return false;
    }
    if (ready < 0) {
      continue;
    }
    const ssize_t n = ::read(fd, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return true;
    }
    const size_t room = run.max_bytes - text.size();
    text.append(bytes, std::min(static_cast<size_t>(n), room));
    if (!run.until.empty() && text.ends_with(run.until)) {
      return true;
    }
  }
}

}  // namespace

Result<BriefResult> RunAndRead(const BriefRun& run) {
  ASSIGN_OR_RETURN(Pipe pipe, MakePipe());
  SpawnSpec spec;
  spec.argv = run.argv;
  spec.env = OwnEnvironment();
  spec.stdout_fd = pipe.write.get();
  spec.stderr_fd = pipe.write.get();
  spec.new_session = true;
  spec.parent_death_signal = SIGKILL;
  ASSIGN_OR_RETURN(const pid_t pid, Spawn(spec));
  pipe.write.Reset();
  BriefResult result;
  const int64_t end_ns =
      RealClock().monotonic_ns() + int64_t{run.timeout_ms} * 1'000'000;
  bool in_time = ReadUntil(pipe.read.get(), run, end_ns, result.printed);
  const bool said_all =
      !run.until.empty() && result.printed.ends_with(run.until);
  std::optional<int> status;
  if (in_time && !said_all) {
    // It has closed its output, which need not be its end.
    status = AwaitExit(pid, LeftMs(end_ns));
    in_time = status.has_value();
  }
  if (!status) {
    ::kill(-pid, SIGKILL);
    status = AwaitExit(pid, kKilledMs);
  }
  if (!in_time) {
    return DeadlineExceededError(
        "'" + run.argv[0] + "' took longer than " +
        std::to_string(run.timeout_ms) + " ms" +
        (status ? "" : ", and SIGKILL does not end it"));
  }
  result.how = !status ? "not ended by SIGKILL"
               : WIFEXITED(*status)
                   ? "exit " + std::to_string(WEXITSTATUS(*status))
                   : "signal " + std::to_string(WTERMSIG(*status));
  return result;
}

Result<std::string> RunBriefly(const std::vector<std::string>& args) {
  BriefRun run;
  const std::string text = args.empty() ? "" : args[0];
  if (std::from_chars(text.data(), text.data() + text.size(), run.timeout_ms)
              .ec != std::errc() ||
      run.timeout_ms < 1 || run.timeout_ms > 60'000) {
    return InvalidArgumentError("time limit '" + text +
                                "': 1 to 60000 ms is allowed");
  }
  run.argv.assign(args.begin() + 1, args.end());
  ASSIGN_OR_RETURN(const BriefResult result, RunAndRead(run));
  return result.how + "\n" + result.printed;
}

}  // namespace zs
