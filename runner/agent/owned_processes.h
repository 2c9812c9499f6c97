// Everything that the agent has started and what came of it, by membership:
// not by name, process group or tree alone.
#ifndef RUNNER_AGENT_OWNED_PROCESSES_H_
#define RUNNER_AGENT_OWNED_PROCESSES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runner/agent/cgroup.h"
#include "runner/agent/process_table.h"

namespace zs {

// The seam between ending processes and the processes themselves.
class ProcessSet {
 public:
  virtual ~ProcessSet() = default;

  // The members that are alive now.
  virtual std::vector<ProcessInfo> Members() = 0;

  // Whether the last Members could not look, and so found none.
  virtual bool blind() const { return false; }

  // Sends SIGNAL to every member.
  virtual void Signal(int signal) = 0;

  // Sends SIGKILL to every member, at one stroke where the kernel can.
  virtual void Kill() = 0;
};

// Members are: what is in the cgroup (where there is one), what descends from
// this process, and what was started with a token of ours. Never this process
// or one that it descends from. Orphans stay descendants, because Create makes
// this process the sub-reaper of all that it starts.
class OwnedProcesses final : public ProcessSet {
 public:
  // CONTAINMENT: "" takes a cgroup where one can be made, "subreaper" does
  // without.
  static OwnedProcesses Create(std::string_view containment);

  // "cgroup" or "subreaper": what the members' list rests on beside the tokens.
  std::string_view containment() const {
    return cgroup_ ? "cgroup" : "subreaper";
  }

  // Where the kernel counts the members that it kills for want of memory (see
  // NearestMemoryEvents); empty: nowhere.
  std::string MemoryEvents() const;

  // For SpawnSpec::cgroup_procs_fd.
  int join_fd() const { return cgroup_ ? cgroup_->join_fd() : -1; }

  // Counts processes with ZS_RUN_TOKEN=TOKEN as members.
  void AddToken(const std::string& token);
  void ForgetTokens() { entries_.clear(); }

  // Makes the calling process, a child of the one that called Create, the root
  // from which descendants are counted.
  void BecomeRoot();

  // Removes what was made to hold the processes, once there are none.
  void RemoveContainer() {
    if (cgroup_) {
      cgroup_->Remove();
    }
  }

  std::vector<ProcessInfo> Members() override;
  bool blind() const override { return blind_; }
  void Signal(int signal) override;
  void Kill() override;

 private:
  explicit OwnedProcesses(std::unique_ptr<Cgroup> cgroup)
      : cgroup_(std::move(cgroup)) {}

  std::unique_ptr<Cgroup> cgroup_;    // null: none
  std::vector<std::string> entries_;  // "ZS_RUN_TOKEN=..."
  bool blind_ = false;
};

}  // namespace zs

#endif  // RUNNER_AGENT_OWNED_PROCESSES_H_
