#include "runner/agent/owned_processes.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace zs {
namespace {

using ProcessMap = std::map<pid_t, ProcessInfo>;

ProcessMap ByPid(std::vector<ProcessInfo> processes) {
  ProcessMap map;
  for (ProcessInfo& process : processes) {
    map.emplace(process.pid, std::move(process));
  }
  return map;
}

// Whether ROOT is above PID (or is it).
bool DescendsFrom(const ProcessMap& all, pid_t pid, pid_t root) {
  // The table is no snapshot: after so many steps it is a loop.
  for (size_t steps = 0; steps <= all.size(); ++steps) {
    if (pid == root) {
      return true;
    }
    const auto found = all.find(pid);
    if (found == all.end() || found->second.parent <= 0) {
      return false;
    }
    pid = found->second.parent;
  }
  return false;
}

// PID and all above it.
std::set<pid_t> Line(const ProcessMap& all, pid_t pid) {
  std::set<pid_t> line;
  while (pid > 0 && line.insert(pid).second) {
    const auto found = all.find(pid);
    pid = found == all.end() ? 0 : found->second.parent;
  }
  return line;
}

}  // namespace

OwnedProcesses OwnedProcesses::Create(std::string_view containment) {
  std::unique_ptr<Cgroup> cgroup;
  if (containment != "subreaper") {
    cgroup = Cgroup::Create();
  }
  OwnedProcesses owned(std::move(cgroup));
  owned.BecomeRoot();
  return owned;
}

std::string OwnedProcesses::MemoryEvents() const {
  const std::optional<std::string> folder =
      cgroup_ ? cgroup_->folder() : OwnCgroupFolder();
  return folder ? NearestMemoryEvents(*folder) : "";
}

void OwnedProcesses::BecomeRoot() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void OwnedProcesses::AddToken(const std::string& token) {
  const std::string entry = "ZS_RUN_TOKEN=" + token;
  if (!token.empty() &&
      std::find(entries_.begin(), entries_.end(), entry) == entries_.end()) {
    entries_.push_back(entry);
  }
}

std::vector<ProcessInfo> OwnedProcesses::Members() {
  const ProcessMap all = ByPid(ListProcesses());
  const pid_t self = ::getpid();
  blind_ = !all.contains(self);  // no descriptor is free, or there is no /proc
  const std::set<pid_t> own_line = Line(all, self);
  const std::vector<pid_t> grouped =
      cgroup_ ? cgroup_->Processes() : std::vector<pid_t>();
  const std::set<pid_t> in_cgroup(grouped.begin(), grouped.end());
  std::vector<ProcessInfo> members;
  for (const auto& [pid, process] : all) {
    if (!process.alive() || own_line.contains(pid)) {
      continue;
    }
    const auto bears_token = [pid = pid](const std::string& entry) {
      return StartedWith(pid, entry);
    };
    if (in_cgroup.contains(pid) || DescendsFrom(all, pid, self) ||
        std::any_of(entries_.begin(), entries_.end(), bears_token)) {
      members.push_back(process);
    }
  }
  return members;
}

void OwnedProcesses::Signal(int signal) {
  for (const ProcessInfo& member : Members()) {
    SignalProcess(member, signal);
  }
}

void OwnedProcesses::Kill() {
  if (cgroup_) {
    cgroup_->Kill();
  }
  // What is not in the cgroup, or forked while it was looked for.
  Signal(SIGKILL);
}

}  // namespace zs
