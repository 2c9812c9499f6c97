#include "runner/supervise/outcome.h"

#include <algorithm>

#include "base/signal_name.h"

namespace zs {

std::string_view ProcessStateName(ProcessState state) {
  switch (state) {
    case ProcessState::kExited:
      return "exited";
    case ProcessState::kFailed:
      return "failed";
    case ProcessState::kKilled:
      return "killed";
    case ProcessState::kTimedOut:
      return "timed_out";
    case ProcessState::kHung:
      return "hung";
    case ProcessState::kLost:
      return "lost";
    case ProcessState::kNotStarted:
      return "not_started";
  }
  return "";
}

std::string RankExit::HowItEnded() const {
  if (!started) {
    return "never started";
  }
  if (!ended) {
    return "exit unknown";
  }
  if (signal != 0) {
    return "signal " + std::to_string(signal) + " (" + SignalName(signal) + ")";
  }
  return "exit " + std::to_string(exit_code);
}

bool RunOutcome::clean() const {
  return std::all_of(
      clean_up.begin(), clean_up.end(),
      [](const CleanupReceipt& receipt) { return receipt.clean(); });
}

}  // namespace zs
