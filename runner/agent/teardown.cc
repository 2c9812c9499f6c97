#include "runner/agent/teardown.h"

#include <signal.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace zs {
namespace {

constexpr int64_t kMs = 1'000'000;
// A process that SIGKILL has not ended after this long sits in the kernel.
constexpr int64_t kGiveUpAfterNs = 10'000 * kMs;
constexpr int64_t kFirstPauseNs = 2 * kMs;
constexpr int64_t kLongestPauseNs = 100 * kMs;

// "123 (python3, D), ..."; at most ten.
std::string Names(const std::vector<ProcessInfo>& processes) {
  std::string names;
  for (size_t i = 0; i < processes.size() && i < 10; ++i) {
    names += (i == 0 ? "" : ", ") + std::to_string(processes[i].pid) + " (" +
             processes[i].name + ", " + processes[i].state + ")";
  }
  return names;
}

}  // namespace

void Teardown::Begin(int64_t grace_ms, int waited) {
  const int64_t now = clock_.monotonic_ns();
  const int64_t end = now + grace_ms * kMs;
  wake_ns_ = now;
  if (running_) {
    phase_end_ns_ = phase_ == StopPhase::kTerm ? std::min(phase_end_ns_, end)
                                               : phase_end_ns_;
    return;
  }
  running_ = true;
  report_ = StoppedMsg();
  phase_ = StopPhase::kTerm;
  phase_end_ns_ = end;
  pause_ns_ = kFirstPauseNs;
  const std::vector<ProcessInfo> members = set_.Members();
  nothing_found_ = members.empty() && !set_.blind();
  report_.left_over = waited == 0 ? static_cast<int64_t>(members.size()) : 0;
  if (!members.empty() && grace_ms > 0) {
    set_.Signal(SIGTERM);
    set_.Signal(SIGCONT);  // a stopped process hears TERM only then
  }
}

bool Teardown::Step(int waited) {
  if (!running_) {
    return false;
  }
  // Where nothing is waited for, nothing can have begun since Begin looked.
  const bool look = waited > 0 || !std::exchange(nothing_found_, false);
  const std::vector<ProcessInfo> members =
      look ? set_.Members() : std::vector<ProcessInfo>();
  const int64_t now = clock_.monotonic_ns();
  const bool blind = look && set_.blind();
  if (members.empty() && waited == 0 && !blind) {
    Finish();
    return true;
  }
  if (now >= phase_end_ns_) {
    if (phase_ == StopPhase::kKill) {
      report_.left = blind ? -1 : static_cast<int64_t>(members.size());
      report_.note = blind ? "the processes there cannot be listed (/proc)"
                           : "not ended by SIGKILL: " + Names(members);
      Finish();
      return true;
    }
    report_.killed = static_cast<int64_t>(members.size());
    BeginKill();
  }
  if (phase_ == StopPhase::kKill) {
    set_.Kill();  // again and again: what forks may have been missed
  }
  LookAgainSoon();
  return false;
}

void Teardown::BeginKill() {
  phase_ = StopPhase::kKill;
  phase_end_ns_ = clock_.monotonic_ns() + kGiveUpAfterNs;
  pause_ns_ = kFirstPauseNs;
}

void Teardown::LookAgainSoon() {
  wake_ns_ = std::min(clock_.monotonic_ns() + pause_ns_, phase_end_ns_);
  pause_ns_ = std::min(2 * pause_ns_, kLongestPauseNs);
}

void Teardown::Finish() {
  running_ = false;
  phase_ = StopPhase::kNone;
}

}  // namespace zs
