// Did the kernel kill a process because memory ran out?
#ifndef RUNNER_AGENT_OOM_WATCH_H_
#define RUNNER_AGENT_OOM_WATCH_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace zs {

// Watches from its making on. Movable, not thread-safe.
class OomWatch {
 public:
  // MEMORY_EVENTS: that file of a group that holds the process (see
  // NearestMemoryEvents); empty: there is none.
  explicit OomWatch(std::string memory_events = "");

  // Of a process that SIGKILL has ended: how many processes the kernel has
  // killed for want of memory since then; 0 where PID is known not to be one of
  // them, or the kernel does not tell. Who knows, best first:
  // - the group's counter, which is of its processes alone: where it has grown;
  // - the kernel's log, where it can be read and has the same process ids;
  // - the group's counter, where it has not grown;
  // - the kernel's counter, which is of the whole host.
  int64_t Kills(pid_t pid);

 private:
  // By the group's counter since the beginning; empty: it cannot be read.
  std::optional<int64_t> KillsInGroup() const;

  std::string memory_events_;
  std::optional<int64_t> group_before_;
  int64_t before_ = 0;  // the kernel's counter
  Descriptor log_;      // /dev/kmsg at its end; not valid: of no use here
};

// Whether RECORD of the kernel's log says that PID was killed for want of
// memory ("Out of memory: Killed process 42 (python3) ...", also of a cgroup).
bool TellsOfOomKill(std::string_view record, pid_t pid);

}  // namespace zs

#endif  // RUNNER_AGENT_OOM_WATCH_H_
