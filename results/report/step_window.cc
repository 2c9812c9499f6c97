#include "results/report/step_window.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "results/report/conditions.h"
#include "results/report/observations.h"

namespace zs::results {

StepWindow WindowOf(const RunRow& run, const std::optional<StepWindow>& asked,
                    ComparedExperiment& seen) {
  if (asked) {
    return *asked;
  }
  if (const auto fixed = DeclaredWindow(run)) {
    return *fixed;
  }
  const int64_t declared = run.experiment.warmup_steps.value_or(1);
  const auto begin = std::find_if(
      seen.times.begin(), seen.times.end(),
      [&](const StepPoint& point) { return point.step > declared; });
  const std::span<const StepPoint> times(begin, seen.times.end());
  StepWindow found;
  found.first = std::max(declared + 1, FirstSteadyStep(times, seen));
  return found;
}

Result<StepWindow> SteadyWindow(const Reader& reader, const RunRow& run) {
  ASSIGN_OR_RETURN(const auto times, reader.StepTimes(run.id, {}));
  ComparedExperiment seen;
  for (const StepTime& time : times) {
    seen.times.push_back({time.step, time.step_ms});
  }
  return WindowOf(run, std::nullopt, seen);
}

}  // namespace zs::results
