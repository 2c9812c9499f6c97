#include "runner/plan/eval/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/clock.h"
#include "base/descriptor.h"

namespace zs {
namespace {

constexpr size_t kMaxErrBytes = 64 << 10;

// Owns a started process: kills and reaps it unless it was waited for.
class Child {
 public:
  ~Child() {
    if (pid_ > 0) {
      Kill();
      Wait();
    }
  }
  pid_t* pid() { return &pid_; }
  void Kill() { ::kill(pid_, SIGKILL); }

  // The wait status.
  int Wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
};

// In the child: nothing of the parent's but its memory.
void LetGo(int out, int err) {
  for (int signal = 1; signal < NSIG; ++signal) {
    ::signal(signal, SIG_DFL);  // fails for KILL and STOP, as it should
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::clearenv();
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (::dup2(null, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
      ::dup2(err, STDERR_FILENO) < 0) {
    ::_exit(1);
  }
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
  if (::syscall(SYS_close_range, 3U, ~0U, 0U) != 0) {
    for (int fd = 3; fd < 4096; ++fd) {
      ::close(fd);
    }
  }
}

// Appends what FD has to TEXT, at most up to LIMIT; false at its end.
bool ReadSome(int fd, size_t limit, std::string* text) {
  char block[1 << 16];
  const ssize_t n = ::read(fd, block, sizeof block);
  if (n > 0) {
    const size_t room = limit - std::min(limit, text->size());
    text->append(block, std::min(static_cast<size_t>(n), room));
  }
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

// Reads OUT and ERR until both end; otherwise says why the child must go.
ChildEnd ReadBoth(Pipe* out, Pipe* err, double deadline_s, size_t max_out_bytes,
                  ChildOutcome* outcome) {
  while (out->read.get() >= 0 || err->read.get() >= 0) {
    const double left_s = deadline_s - RealClock().monotonic_s();
    if (left_s <= 0) {
      return ChildEnd::kTimedOut;
    }
    pollfd polled[] = {{out->read.get(), POLLIN, 0},
                       {err->read.get(), POLLIN, 0}};
    ::poll(polled, 2, static_cast<int>(std::min(left_s, 60.0) * 1000) + 1);
    // One byte beyond the limit tells a full output from too much.
    if (polled[0].revents != 0 &&
        !ReadSome(polled[0].fd, max_out_bytes + 1, &outcome->out)) {
      out->read.Reset();
    }
    if (polled[1].revents != 0 &&
        !ReadSome(polled[1].fd, kMaxErrBytes, &outcome->err)) {
      err->read.Reset();
    }
    if (outcome->out.size() > max_out_bytes) {
      return ChildEnd::kFlooded;
    }
  }
  return ChildEnd::kExited;
}

}  // namespace

Result<ChildOutcome> RunChild(const std::function<int()>& work,
                              double timeout_s, int64_t max_out_bytes,
                              const std::function<void()>& meanwhile) {
  ASSIGN_OR_RETURN(Pipe out, MakePipe());
  ASSIGN_OR_RETURN(Pipe err, MakePipe());
  const double deadline_s = RealClock().monotonic_s() + timeout_s;
  Child child;
  *child.pid() = ::fork();
  if (*child.pid() == 0) {
    LetGo(out.write.get(), err.write.get());
    ::_exit(work());
  }
  if (*child.pid() < 0) {
    return ErrnoError(errno, "fork");
  }
  out.write.Reset();
  err.write.Reset();
  if (meanwhile) {
    meanwhile();
  }
  ChildOutcome outcome;
  outcome.end = ReadBoth(&out, &err, deadline_s,
                         static_cast<size_t>(max_out_bytes), &outcome);
  if (outcome.end != ChildEnd::kExited) {
    child.Kill();
    child.Wait();
    return outcome;
  }
  const int status = child.Wait();
  outcome.end = WIFSIGNALED(status) ? ChildEnd::kSignalled : ChildEnd::kExited;
  outcome.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return outcome;
}

}  // namespace zs
