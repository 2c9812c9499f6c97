#include "runner/host/command_output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/spawn.h"
#include "base/strings.h"

namespace zs {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;
constexpr int64_t kKilledMs = 1000;

// Reads FD to its end. False where the deadline passed first.
bool ReadUntil(int fd, double deadline_s, std::string& text) {
  std::array<char, 4096> block{};
  while (true) {
    const double left_s = deadline_s - RealClock().monotonic_s();
    if (left_s <= 0) {
      return false;
    }
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(left_s * 1000) + 1) <= 0) {
      continue;
    }
    const ssize_t n = ::read(fd, block.data(), block.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return true;
    }
    if (text.size() < kMaxBytes) {
      text.append(block.data(), static_cast<size_t>(n));
    }
  }
}

}  // namespace

Result<StartedCommand> StartedCommand::Start(
    const std::vector<std::string>& argv) {
  ASSIGN_OR_RETURN(Pipe pipe, MakePipe());
  const Descriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  ASSIGN_OR_RETURN(const pid_t pid, Spawn({.argv = argv,
                                           .env = OwnEnvironment(),
                                           .stdout_fd = pipe.write.get(),
                                           .stderr_fd = nothing.get()}));
  return StartedCommand(argv[0], pid, std::move(pipe.read));
}

StartedCommand::StartedCommand(StartedCommand&& other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, 0)),
      out_(std::move(other.out_)) {}

StartedCommand::~StartedCommand() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    // What a driver holds in the kernel dies when that lets go of it.
    (void)AwaitExit(pid_, kKilledMs);
  }
}

Result<std::string> StartedCommand::Output(double timeout_s) {
  std::string text;
  const double end_s = RealClock().monotonic_s() + timeout_s;
  const bool read = ReadUntil(out_.get(), end_s, text);
  const double left_s = std::max(0.0, end_s - RealClock().monotonic_s());
  const std::optional<int> status =
      read ? AwaitExit(pid_, static_cast<int64_t>(left_s * 1000))
           : std::nullopt;
  if (!status) {
    return DeadlineExceededError(name_ + ": no answer in time");
  }
  pid_ = 0;
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    const std::string said(Trimmed(text.substr(0, text.find('\n'))));
    return FailedPreconditionError(
        name_ + ": failed with " +
        (WIFEXITED(*status) ? "exit " + std::to_string(WEXITSTATUS(*status))
                            : "signal " + std::to_string(WTERMSIG(*status))) +
        (said.empty() ? "" : ": '" + said + "'"));
  }
  return text;
}

Result<std::string> CommandOutput(const std::vector<std::string>& argv,
                                  double timeout_s) {
  ASSIGN_OR_RETURN(StartedCommand command, StartedCommand::Start(argv));
  return command.Output(timeout_s);
}

}  // namespace zs
