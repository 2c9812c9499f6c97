#include "runner/agent/login_environment.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/spawn.h"

namespace zs {
namespace {

constexpr std::string_view kMarker("\0ZS_ENVIRONMENT\0", 16);
constexpr const char* kCommand = "printf '\\0ZS_ENVIRONMENT\\0'; env -0";
constexpr int64_t kLimitMs = 10'000;
constexpr size_t kMaxBytes = size_t{2} << 20;

// The user's shell as the host's list of users has it, else $SHELL. (A static
// program has no getpwuid that asks other sources.)
std::string LoginShell() {
  const std::string uid = std::to_string(::getuid());
  std::ifstream users("/etc/passwd");
  for (std::string line; std::getline(users, line);) {
    std::vector<std::string> fields(1);
    for (const char c : line) {
      if (c == ':') {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    if (fields.size() >= 7 && fields[2] == uid && !fields[6].empty()) {
      return fields[6];
    }
  }
  const char* shell = std::getenv("SHELL");
  return shell == nullptr || *shell == '\0' ? "/bin/sh" : shell;
}

// Reads all that FD gives within kLimitMs; false: it was not over by then.
bool ReadAll(int fd, std::string& text) {
  const Clock& clock = RealClock();
  const int64_t end_ns = clock.monotonic_ns() + kLimitMs * 1'000'000;
  char bytes[4096];
  while (text.size() < kMaxBytes) {
    const int64_t left_ms = (end_ns - clock.monotonic_ns()) / 1'000'000;
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
    text.append(bytes, static_cast<size_t>(n));
  }
  return false;
}

Result<std::vector<std::string>> AskShell() {
  const std::string shell = LoginShell();
  ASSIGN_OR_RETURN(Pipe pipe, MakePipe());
  SpawnSpec spec;
  spec.argv = {shell, "-l", "-c", kCommand};
  spec.env = OwnEnvironment();
  spec.stdout_fd = pipe.write.get();
  spec.new_session = true;
  spec.parent_death_signal = SIGKILL;
  ASSIGN_OR_RETURN(const pid_t pid, Spawn(spec));
  pipe.write.Reset();
  std::string printed;
  const bool in_time = ReadAll(pipe.read.get(), printed);
  if (!in_time) {
    ::kill(-pid, SIGKILL);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string who = "the login shell " + shell;
  if (!in_time) {
    return UnavailableError(who + " took longer than " +
                            std::to_string(kLimitMs / 1000) + " s");
  }
  auto entries = ParseLoginEnvironment(printed);
  if (!entries.ok()) {
    return UnavailableError(who + " did not give its environment; try: " +
                            shell + " -l -c 'env -0'");
  }
  return entries;
}

}  // namespace

Result<std::vector<std::string>> ParseLoginEnvironment(
    std::string_view printed) {
  const size_t marker = printed.rfind(kMarker);
  if (marker == std::string_view::npos) {
    return DataLossError("no environment");
  }
  printed.remove_prefix(marker + kMarker.size());
  std::vector<std::string> entries;
  while (!printed.empty()) {
    const size_t end = std::min(printed.find('\0'), printed.size());
    const std::string_view entry = printed.substr(0, end);
    if (const size_t equals = entry.find('=');
        equals != std::string_view::npos && equals > 0) {
      entries.emplace_back(entry);
    }
    printed.remove_prefix(std::min(end + 1, printed.size()));
  }
  return entries;
}

Result<std::vector<std::string>> LoginEnvironment::Get() {
  if (!taken_) {
    taken_ = AskShell();
  }
  return *taken_;
}

}  // namespace zs
