// A control group of version 2 as a box for processes: whatever is started in
// it stays in it, and one write kills all.
#ifndef RUNNER_AGENT_CGROUP_H_
#define RUNNER_AGENT_CGROUP_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace zs {

// The folder of the calling process's own group of version 2, from the texts of
// /proc/self/mountinfo and /proc/self/cgroup; empty where none is mounted.
std::optional<std::string> OwnCgroupFolder(std::string_view mountinfo,
                                           std::string_view cgroup);
// Of this process.
std::optional<std::string> OwnCgroupFolder();

// The memory.events of FOLDER, a group of version 2, or of the nearest group
// above it where the kernel counts memory; empty where none is to be read.
std::string NearestMemoryEvents(std::string folder);

// How many processes of a group, and of those below it, the kernel has killed
// for want of memory, by the text of its memory.events ("oom_kill 2").
std::optional<int64_t> OomKillsIn(std::string_view memory_events);

// Owns a group below the calling process's own, and removes it at the end if it
// is empty.
class Cgroup {
 public:
  // Null where this system, or its rights, or its age (cgroup.kill came with
  // Linux 5.14) do not allow a group that processes can join.
  static std::unique_ptr<Cgroup> Create();

  ~Cgroup();
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  // "0" written here moves the writer into the group.
  int join_fd() const { return join_.get(); }

  // Those in the group and in groups made below it.
  std::vector<pid_t> Processes() const;

  void Kill() const;

  // Removes the group if it is empty; done at the end by the process that made
  // it, and by hand where that one is gone.
  void Remove() const;

  const std::string& folder() const { return folder_; }

 private:
  Cgroup(std::string folder, Descriptor join)
      : folder_(std::move(folder)), join_(std::move(join)), owner_(0) {}

  std::string folder_;
  Descriptor join_;
  pid_t owner_;  // the process that removes the folder
};

}  // namespace zs

#endif  // RUNNER_AGENT_CGROUP_H_
