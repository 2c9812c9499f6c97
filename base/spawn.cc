#include "base/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/descriptor.h"

namespace zs {
namespace {

// How far a child came; told to the parent with the errno.
enum class Step : int {
  kDescriptors,
  kFolder,
  kCgroup,
  kParent,
  kLimit,
  kExec
};

struct Failure {
  Step step;
  int error;
  int limit;  // of kLimit: its place in SpawnSpec::limits
};

const char* StepName(Step step) {
  switch (step) {
    case Step::kDescriptors:
      return "set up the standard descriptors of ";
    case Step::kFolder:
      return "enter the folder for ";
    case Step::kCgroup:
      return "join the cgroup for ";
    case Step::kParent:
      return "tie to its parent ";
    case Step::kLimit:
      return "set the limits of ";
    case Step::kExec:
      return "start ";
  }
  return "";
}

// All that the child needs, made before the fork: between fork and exec only
// async-signal-safe calls are allowed.
struct Prepared {
  std::string program;
  std::vector<char*> argv;
  std::vector<char*> env;
  int report_fd = -1;
  pid_t parent = 0;
};

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) {
    pointers.push_back(const_cast<char*>(word.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

bool HasNul(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.find('\0') != std::string::npos;
  });
}

[[noreturn]] void Report(int fd, Step step, int limit = 0) {
  const Failure failure{step, errno, limit};
  (void)!::write(fd, &failure, sizeof failure);
  ::_exit(127);
}

// Makes FD (-1: leave TARGET alone) the descriptor TARGET. Copies lie above 2
// first, so that sources and targets never meet.
bool Redirect(int fd, int target) {
  return fd < 0 || ::dup2(fd, target) == target;
}

void SetUpDescriptors(const SpawnSpec& spec, int report_fd) {
  int in = spec.stdin_fd >= 0 ? ::fcntl(spec.stdin_fd, F_DUPFD_CLOEXEC, 3)
                              : ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (in >= 0 && in < 3) {
    in = ::fcntl(in, F_DUPFD_CLOEXEC, 3);
  }
  int out = spec.stdout_fd;
  int err = spec.stderr_fd;
  out = out < 0 ? out : ::fcntl(out, F_DUPFD_CLOEXEC, 3);
  err = err < 0 ? err : ::fcntl(err, F_DUPFD_CLOEXEC, 3);
  if (in < 0 || (spec.stdout_fd >= 0 && out < 0) ||
      (spec.stderr_fd >= 0 && err < 0) || !Redirect(in, 0) ||
      !Redirect(out, 1) || !Redirect(err, 2)) {
    Report(report_fd, Step::kDescriptors);
  }
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
  constexpr unsigned kCloseOnExec = 4;  // CLOSE_RANGE_CLOEXEC, since Linux 5.11
  if (::syscall(SYS_close_range, 3U, ~0U, kCloseOnExec) != 0) {
    for (int fd = 3; fd < 4096; ++fd) {
      ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
  }
}

void ResetSignals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    ::signal(signal, SIG_DFL);  // fails for KILL and STOP, as it should
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool SetLimit(const ProcessLimit& wanted) {
  rlimit limit{};
  if (::getrlimit(wanted.resource, &limit) != 0) {
    return false;
  }
  limit.rlim_cur =
      wanted.value < 0 ? RLIM_INFINITY : static_cast<rlim_t>(wanted.value);
  limit.rlim_max = std::max(limit.rlim_max, limit.rlim_cur);
  return ::setrlimit(wanted.resource, &limit) == 0;
}

// "open_files to 4096 (the hard limit is 1024)"
std::string LimitText(const ProcessLimit& wanted) {
  const auto shown = [](rlim_t value) {
    return value == RLIM_INFINITY ? "unlimited" : std::to_string(value);
  };
  rlimit limit{};
  ::getrlimit(wanted.resource, &limit);
  return wanted.name + " to " + shown(static_cast<rlim_t>(wanted.value)) +
         " (the hard limit is " + shown(limit.rlim_max) + ")";
}

[[noreturn]] void RunChild(const SpawnSpec& spec, const Prepared& prepared) {
  const int report_fd = prepared.report_fd;
  if (spec.new_session) {
    ::setsid();
  }
  if (spec.parent_death_signal != 0) {
    if (::prctl(PR_SET_PDEATHSIG, spec.parent_death_signal) != 0) {
      Report(report_fd, Step::kParent);
    }
    if (::getppid() != prepared.parent) {
      ::_exit(127);  // the parent went before the call
    }
  }
  if (spec.cgroup_procs_fd >= 0 && ::write(spec.cgroup_procs_fd, "0", 1) != 1) {
    Report(report_fd, Step::kCgroup);
  }
  if (!spec.cwd.empty() && ::chdir(spec.cwd.c_str()) != 0) {
    Report(report_fd, Step::kFolder);
  }
  SetUpDescriptors(spec, report_fd);
  for (size_t i = 0; i < spec.limits.size(); ++i) {
    if (!SetLimit(spec.limits[i])) {
      Report(report_fd, Step::kLimit, static_cast<int>(i));
    }
  }
  ResetSignals();
  ::execve(prepared.program.c_str(), prepared.argv.data(), prepared.env.data());
  Report(report_fd, Step::kExec);
}

// A function of its own, none of whose variables outlive the child's part. The
// parent waits until exec as it would for the report; its memory, which may be
// large, is not copied for a program that wants none of it. What runs until
// then may be called between fork and exec, writes to its own part of the stack
// alone, and no handler interrupts it.
[[gnu::noinline]] pid_t StartChild(const SpawnSpec& spec,
                                   const Prepared& prepared) {
  const pid_t pid = ::vfork();
  if (pid == 0) {
    RunChild(spec, prepared);
  }
  return pid;
}

// Waits for exec (the pipe closes) or for the child's report of a failure.
Status AwaitExec(const Pipe& report, pid_t pid, const SpawnSpec& spec) {
  Failure failure;
  ssize_t n;
  do {
    n = ::read(report.read.get(), &failure, sizeof failure);
  } while (n < 0 && errno == EINTR);
  if (n == 0) {
    return OkStatus();
  }
  ::waitpid(pid, nullptr, 0);
  if (n != sizeof failure) {
    return InternalError("start " + spec.argv[0] + ": damaged report");
  }
  std::string what = StepName(failure.step) + spec.argv[0];
  if (failure.step == Step::kFolder) {
    what += " (" + spec.cwd + ")";
  } else if (failure.step == Step::kLimit) {
    what += ": " + LimitText(spec.limits[static_cast<size_t>(failure.limit)]);
  }
  return ErrnoError(failure.error, what);
}

std::string_view ValueOf(const std::vector<std::string>& env,
                         std::string_view name) {
  for (const std::string& entry : env) {
    if (entry.size() > name.size() && entry[name.size()] == '=' &&
        entry.compare(0, name.size(), name) == 0) {
      return std::string_view(entry).substr(name.size() + 1);
    }
  }
  return {};
}

// 0, or the errno for which PATH cannot be started.
int WhyNotProgram(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) {
    return errno;
  }
  if (S_ISDIR(info.st_mode)) {
    return EISDIR;
  }
  return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

std::string Under(const std::string& cwd, const std::string& path) {
  return cwd.empty() || path.starts_with('/') ? path : cwd + "/" + path;
}

}  // namespace

std::optional<int> AwaitExit(pid_t pid, int64_t timeout_ms) {
  constexpr int64_t kMs = 1'000'000;
  const int64_t end_ns = RealClock().monotonic_ns() + timeout_ms * kMs;
  for (int64_t pause_ns = kMs / 10;;
       pause_ns = std::min(2 * pause_ns, 20 * kMs)) {
    int status = 0;
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) {
      return status;
    }
    const int64_t left_ns = end_ns - RealClock().monotonic_ns();
    if (left_ns <= 0 || (ended < 0 && errno != EINTR)) {
      return std::nullopt;
    }
    std::this_thread::sleep_for(
        std::chrono::nanoseconds(std::min(pause_ns, left_ns)));
  }
}

Result<std::string> FindProgram(const std::string& argv0,
                                const std::vector<std::string>& env,
                                const std::string& cwd) {
  if (argv0.find('/') != std::string::npos) {
    const int error = WhyNotProgram(Under(cwd, argv0));
    return error == 0 ? Result<std::string>(argv0)
                      : ErrnoError(error, "start " + argv0);
  }
  std::string_view path = ValueOf(env, "PATH");
  if (path.empty()) {
    path = "/usr/local/bin:/usr/bin:/bin";
  }
  const std::string searched(path);
  int seen = ENOENT;
  while (!argv0.empty()) {
    const size_t colon = path.find(':');
    const std::string folder(path.substr(0, colon));
    const std::string file = (folder.empty() ? "." : folder) + "/" + argv0;
    const int error = WhyNotProgram(Under(cwd, file));
    if (error == 0) {
      return file;
    }
    seen = error == EACCES ? error : seen;
    if (colon == std::string_view::npos) {
      break;
    }
    path.remove_prefix(colon + 1);
  }
  return ErrnoError(seen, "start '" + argv0 + "' (PATH=" + searched + ")");
}

Result<pid_t> Spawn(const SpawnSpec& spec) {
  if (spec.argv.empty() || spec.argv[0].empty()) {
    return InvalidArgumentError("start: argv is empty; name a program");
  }
  if (HasNul(spec.argv) || HasNul(spec.env) || HasNul({spec.cwd})) {
    return InvalidArgumentError("start " + spec.argv[0] +
                                ": a NUL byte in argv, environment or folder");
  }
  Prepared prepared;
  if (!spec.cwd.empty() && ::access(spec.cwd.c_str(), X_OK) != 0) {
    return ErrnoError(
        errno, "enter the folder for " + spec.argv[0] + " (" + spec.cwd + ")");
  }
  ASSIGN_OR_RETURN(prepared.program,
                   FindProgram(spec.argv[0], spec.env, spec.cwd));
  prepared.argv = Pointers(spec.argv);
  prepared.env = Pointers(spec.env);
  prepared.parent = ::getpid();
  ASSIGN_OR_RETURN(Pipe report, MakePipe());
  // The child must not inherit a report descriptor that the redirections hit.
  if (report.write.get() < 3) {
    report.write.Reset(::fcntl(report.write.get(), F_DUPFD_CLOEXEC, 3));
  }
  prepared.report_fd = report.write.get();
  // No handler of ours may run in the child.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = StartChild(spec, prepared);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) {
    return ErrnoError(error, "fork for " + spec.argv[0]);
  }
  report.write.Reset();
  RETURN_IF_ERROR(AwaitExec(report, pid, spec));
  return pid;
}

std::vector<std::string> OwnEnvironment() {
  std::vector<std::string> env;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    env.emplace_back(*entry);
  }
  return env;
}

std::vector<std::string> MergeEnvironment(
    std::vector<std::string> base, const std::vector<std::string>& overrides) {
  for (const std::string& entry : overrides) {
    const std::string name = entry.substr(0, entry.find('=')) + "=";
    const auto same = std::find_if(
        base.begin(), base.end(),
        [&name](const std::string& old) { return old.starts_with(name); });
    if (same == base.end()) {
      base.push_back(entry);
    } else {
      *same = entry;
    }
  }
  return base;
}

}  // namespace zs
