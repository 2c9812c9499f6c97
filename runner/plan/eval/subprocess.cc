#include "runner/plan/eval/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/clock.h"

namespace zs {
namespace {

constexpr size_t kMaxErrBytes = 64 << 10;

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  void Reset(int fd) {
    Close();
    fd_ = fd;
  }
  void Close() {
    if (fd_ >= 0) {
      ::close(std::exchange(fd_, -1));
    }
  }

 private:
  int fd_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;

  Status Open() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) {
      return ErrnoError(errno, "pipe");
    }
    read.Reset(fds[0]);
    write.Reset(fds[1]);
    return OkStatus();
  }
};

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

// A file in memory that holds TEXT, at its beginning. Unlike a pipe it needs
// no writing beside the reading, and no SIGPIPE can come of it.
Status MakeInput(const std::string& text, Descriptor* input) {
  input->Reset(::memfd_create("request", MFD_CLOEXEC));
  if (input->get() < 0) {
    return ErrnoError(errno, "memfd_create");
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t n = ::write(input->get(), rest.data(), rest.size());
    if (n < 0 && errno != EINTR) {
      return ErrnoError(errno, "write to a memory file");
    }
    rest.remove_prefix(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  }
  ::lseek(input->get(), 0, SEEK_SET);
  return OkStatus();
}

Status Spawn(const std::vector<std::string>& argv, int in, int out, int err,
             pid_t* pid) {
  std::vector<char*> words;
  for (const std::string& word : argv) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  char* environment[] = {nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  const int error = ::posix_spawn(pid, words[0], &actions, nullptr,
                                  words.data(), environment);
  ::posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? OkStatus() : ErrnoError(error, "start " + argv[0]);
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
ChildEnd ReadBoth(Pipe* out, Pipe* err, double timeout_s, size_t max_out_bytes,
                  ChildOutcome* outcome) {
  const double deadline_s = RealClock().monotonic_s() + timeout_s;
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
      out->read.Close();
    }
    if (polled[1].revents != 0 &&
        !ReadSome(polled[1].fd, kMaxErrBytes, &outcome->err)) {
      err->read.Close();
    }
    if (outcome->out.size() > max_out_bytes) {
      return ChildEnd::kFlooded;
    }
  }
  return ChildEnd::kExited;
}

}  // namespace

Result<ChildOutcome> RunChild(const std::vector<std::string>& argv,
                              const std::string& input, double timeout_s,
                              int64_t max_out_bytes) {
  Descriptor in;
  Pipe out;
  Pipe err;
  RETURN_IF_ERROR(MakeInput(input, &in));
  RETURN_IF_ERROR(out.Open());
  RETURN_IF_ERROR(err.Open());
  Child child;
  RETURN_IF_ERROR(
      Spawn(argv, in.get(), out.write.get(), err.write.get(), child.pid()));
  out.write.Close();
  err.write.Close();
  ChildOutcome outcome;
  outcome.end = ReadBoth(&out, &err, timeout_s,
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
