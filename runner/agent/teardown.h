// The end of everything that the agent owns: TERM, a grace, KILL, and the
// verification that nothing is left.
#ifndef RUNNER_AGENT_TEARDOWN_H_
#define RUNNER_AGENT_TEARDOWN_H_

#include <cstdint>

#include "base/clock.h"
#include "runner/agent/message.h"
#include "runner/agent/owned_processes.h"

namespace zs {

// Decides what to do when; whoever drives it calls Step at wake_ns, and as soon
// as a process has ended. Not thread-safe. SET and CLOCK outlive it.
class Teardown {
 public:
  Teardown(ProcessSet& set, const Clock& clock) : set_(set), clock_(clock) {}

  // Begins, or shortens the grace of one that runs. WAITED is the number of
  // started processes whose exit is still to be collected.
  void Begin(int64_t grace_ms, int waited);

  bool running() const { return running_; }
  StopPhase phase() const { return running_ ? phase_ : StopPhase::kNone; }

  // Looks, and goes on where it is time. True: it is over (nothing is left, or
  // what is left does not die) and report() holds.
  bool Step(int waited);

  // Monotonic time at which Step must be called again.
  int64_t wake_ns() const { return wake_ns_; }

  const StoppedMsg& report() const { return report_; }

 private:
  void BeginKill();
  void Finish();
  void LookAgainSoon();

  ProcessSet& set_;
  const Clock& clock_;
  bool running_ = false;
  StopPhase phase_ = StopPhase::kNone;
  bool nothing_found_ = false;  // by Begin
  int64_t phase_end_ns_ = 0;    // TERM: then KILL; KILL: then give up
  int64_t wake_ns_ = 0;
  int64_t pause_ns_ = 0;  // between two looks; grows
  StoppedMsg report_;
};

}  // namespace zs

#endif  // RUNNER_AGENT_TEARDOWN_H_
