// One process that the agent has started, and its output.
#ifndef RUNNER_AGENT_CHILD_H_
#define RUNNER_AGENT_CHILD_H_

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/status.h"
#include "runner/agent/cpu_time.h"
#include "runner/agent/login_environment.h"
#include "runner/agent/message.h"
#include "runner/agent/oom_watch.h"
#include "runner/agent/outbox.h"

namespace zs {

// Owns the reading ends of the process's stdout and stderr, not the process.
class Child {
 public:
  // Where it is started: the cgroup to join (-1: none) and what counts its
  // members that are killed for want of memory (see OomWatch).
  struct Place {
    int join_fd = -1;
    std::string memory_events;
  };

  // Starts what START says in a session of its own at PLACE, with LOGIN (may be
  // null) below the variables of START. It gets SIGKILL when the calling thread
  // ends.
  static Result<Child> Start(const StartMsg& start, const Place& place,
                             const LoginEnvironment* login);

  int64_t id() const { return id_; }
  pid_t pid() const { return pid_; }
  bool running() const { return running_; }
  // The limits that it has and what its login shell gave, one line.
  const std::string& in_effect() const { return in_effect_; }

  // The reading end for STREAM (1 or 2); -1 once it has ended.
  int fd(int stream) const { return pipes_[stream - 1].get(); }

  // Reads what is there from STREAM, at most MAX_BYTES, into OUTBOX.
  void Read(int stream, size_t max_bytes, Outbox& outbox);

  // The process has ended as STATUS and USAGE of wait4 say: all that it has
  // written so far is read, and the message is what the runner is to know.
  ExitedMsg Ended(int status, const rusage& usage, Outbox& outbox);

 private:
  explicit Child(OomWatch oom_watch) : oom_watch_(std::move(oom_watch)) {}

  int64_t id_ = 0;
  pid_t pid_ = 0;
  bool running_ = false;
  OomWatch oom_watch_;
  std::optional<CpuTime> cpu_before_;
  std::string in_effect_;
  Descriptor pipes_[2];
};

// Microseconds since 1970 by this host's clock.
int64_t UnixMicros();

}  // namespace zs

#endif  // RUNNER_AGENT_CHILD_H_
