#include "runner/supervise/outcome.h"

#include <algorithm>
#include <sstream>

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

void SetGpuLeft(const std::optional<std::string>& processes,
                const std::vector<int64_t>& of_ranks, CleanupReceipt& receipt) {
  std::string unknown = processes ? "" : "nvidia-smi did not tell";
  int64_t bytes = 0;
  std::istringstream lines(processes.value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    int64_t pid = 0;
    char comma = 0;
    int64_t mib = 0;
    if (fields >> pid >> comma >> mib &&
        std::find(of_ranks.begin(), of_ranks.end(), pid) != of_ranks.end()) {
      bytes += mib << 20;
    } else if (!line.empty()) {
      unknown = "nvidia-smi names a process that is no rank's: '" + line + "'";
    }
  }
  if (unknown.empty() || bytes > 0) {
    receipt.gpu_left_bytes = bytes;
    return;
  }
  receipt.note += (receipt.note.empty() ? "" : "; ") +
                  ("memory of GPUs that is left: unknown, " + unknown);
}

bool RunOutcome::clean() const {
  return std::all_of(
      clean_up.begin(), clean_up.end(),
      [](const CleanupReceipt& receipt) { return receipt.clean(); });
}

}  // namespace zs
