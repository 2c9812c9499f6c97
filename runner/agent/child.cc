#include "runner/agent/child.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/spawn.h"

namespace zs {
namespace {

// Longer than any pipe holds: read until it is empty.
constexpr size_t kAll = size_t{64} << 20;

int64_t Micros(const timeval& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000 + time.tv_usec;
}

}  // namespace

int64_t OomKills() {
  struct Close {
    void operator()(FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<FILE, Close> file(std::fopen("/proc/vmstat", "re"));
  char line[256];
  while (file && std::fgets(line, sizeof line, file.get()) != nullptr) {
    if (std::strncmp(line, "oom_kill ", 9) == 0) {
      return std::atoll(line + 9);
    }
  }
  return 0;
}

int64_t UnixMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Result<Child> Child::Start(const StartMsg& start, int join_fd) {
  ASSIGN_OR_RETURN(Pipe out, MakePipe());
  ASSIGN_OR_RETURN(Pipe err, MakePipe());
  RETURN_IF_ERROR(SetNonBlocking(out.read.get()));
  RETURN_IF_ERROR(SetNonBlocking(err.read.get()));
  SpawnSpec spec;
  spec.argv = start.argv;
  std::vector<std::string> env = start.env;
  env.push_back("ZS_RUN_TOKEN=" + start.token);
  spec.env = MergeEnvironment(OwnEnvironment(), env);
  spec.cwd = start.cwd;
  spec.stdout_fd = out.write.get();
  spec.stderr_fd = err.write.get();
  spec.new_session = true;
  spec.parent_death_signal = SIGKILL;
  spec.cgroup_procs_fd = join_fd;
  Child child;
  child.id_ = start.id;
  child.oom_kills_before_ = OomKills();
  ASSIGN_OR_RETURN(child.pid_, Spawn(spec));
  child.running_ = true;
  child.pipes_[0] = std::move(out.read);
  child.pipes_[1] = std::move(err.read);
  return child;
}

void Child::Read(int stream, size_t max_bytes, Outbox& outbox) {
  char bytes[65536];
  Descriptor& pipe = pipes_[stream - 1];
  while (pipe.valid() && max_bytes > 0) {
    const ssize_t n =
        ::read(pipe.get(), bytes, std::min(sizeof bytes, max_bytes));
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0 && errno == EAGAIN) {
      return;
    }
    if (n <= 0) {
      pipe.Reset();
      return;
    }
    max_bytes -= static_cast<size_t>(n);
    outbox.Output(id_, stream, UnixMicros(), {bytes, static_cast<size_t>(n)});
  }
}

ExitedMsg Child::Ended(int status, const rusage& usage, Outbox& outbox) {
  running_ = false;
  Read(1, kAll, outbox);
  Read(2, kAll, outbox);
  outbox.Flush(id_);
  ExitedMsg exited;
  exited.id = id_;
  exited.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  exited.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  exited.oom_kills =
      exited.signal == SIGKILL ? OomKills() - oom_kills_before_ : 0;
  exited.unix_us = UnixMicros();
  exited.user_cpu_us = Micros(usage.ru_utime);
  exited.system_cpu_us = Micros(usage.ru_stime);
  exited.peak_rss_bytes = static_cast<int64_t>(usage.ru_maxrss) * 1024;
  return exited;
}

}  // namespace zs
