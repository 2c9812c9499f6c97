#include "runner/cli/sweep_exit.h"

#include "runner/cli/exit_code.h"

namespace zs {

int ExitCodeOf(const SweepResult& result, int signal) {
  if (result.stopped) {
    return signal == 0 ? kExitIncomplete : 128 + signal;
  }
  if (result.out_of_time) {
    return kExitTotalTime;
  }
  if (result.failed > 0) {
    return result.started == 0 ? kExitChecksFailed : kExitFailed;
  }
  if (result.passed + result.cached == 0) {
    return kExitNothingMeasured;
  }
  const bool all = result.does_not_fit == 0 && result.need_missing == 0 &&
                   result.not_reached == 0;
  return all ? kExitOk : kExitIncomplete;
}

std::string SummaryOf(const SweepResult& r) {
  std::string text = std::to_string(r.passed) + " passed, " +
                     std::to_string(r.failed) + " failed, " +
                     std::to_string(r.cached) + " cached, " +
                     std::to_string(r.skipped) + " skipped";
  if (r.not_reached > 0) {
    text += ", " + std::to_string(r.not_reached) + " not reached";
  }
  return r.out_of_time ? text + "; the time for the sweep is used up" : text;
}

}  // namespace zs
