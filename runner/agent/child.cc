#include "runner/agent/child.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/spawn.h"
#include "runner/agent/limits.h"

namespace zs {
namespace {

// Longer than any pipe holds: read until it is empty.
constexpr size_t kAll = size_t{64} << 20;

int64_t Micros(const timeval& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000 + time.tv_usec;
}

// "; login shell /bin/bash: 30 variables, new or other: A, B".
std::string Told(const LoginEnvironment& login) {
  std::string text = "; login shell " + login.shell + ": " +
                     std::to_string(login.variables.size()) +
                     " variables, new or other:";
  for (const std::string& name : login.added) {
    text += " " + name;
  }
  return text + (login.added.empty() ? " none" : "");
}

}  // namespace

int64_t UnixMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Result<Child> Child::Start(const StartMsg& start, const Place& place,
                           const LoginEnvironment* login) {
  ASSIGN_OR_RETURN(Pipe out, MakePipe());
  ASSIGN_OR_RETURN(Pipe err, MakePipe());
  RETURN_IF_ERROR(SetNonBlocking(out.read.get()));
  RETURN_IF_ERROR(SetNonBlocking(err.read.get()));
  SpawnSpec spec;
  spec.argv = start.argv;
  std::vector<std::string> env = start.env;
  env.push_back("ZS_RUN_TOKEN=" + start.token);
  spec.env = OwnEnvironment();
  if (login != nullptr) {
    spec.env = MergeEnvironment(std::move(spec.env), login->variables);
  }
  spec.env = MergeEnvironment(std::move(spec.env), env);
  ASSIGN_OR_RETURN(spec.limits, ParseLimits(start.limits));
  spec.cwd = start.cwd;
  spec.stdout_fd = out.write.get();
  spec.stderr_fd = err.write.get();
  spec.new_session = true;
  spec.parent_death_signal = SIGKILL;
  spec.cgroup_procs_fd = place.join_fd;
  Child child(OomWatch(place.memory_events));
  child.id_ = start.id;
  child.cpu_before_ = HostCpuTime();
  ASSIGN_OR_RETURN(child.pid_, Spawn(spec));
  child.in_effect_ = LimitsInEffect(child.pid_) +
                     (login != nullptr ? Told(*login) : std::string());
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
  exited.oom_kills = exited.signal == SIGKILL ? oom_watch_.Kills(pid_) : 0;
  exited.unix_us = UnixMicros();
  exited.user_cpu_us = Micros(usage.ru_utime);
  exited.system_cpu_us = Micros(usage.ru_stime);
  exited.peak_rss_bytes = static_cast<int64_t>(usage.ru_maxrss) * 1024;
  const std::optional<CpuTime> cpu = HostCpuTime();
  if (cpu && cpu_before_) {
    exited.host_busy_cpu_us = cpu->busy_us - cpu_before_->busy_us;
    exited.host_all_cpu_us = cpu->all_us - cpu_before_->all_us;
  }
  return exited;
}

}  // namespace zs
