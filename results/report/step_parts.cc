#include "results/report/step_parts.h"

#include "results/stats/summary.h"

namespace zs::results {

std::vector<double> PartTimes(const std::vector<StepRow>& steps,
                              StepWindow window,
                              std::optional<double> StepRow::*part) {
  std::vector<double> times;
  for (const StepRow& step : steps) {
    if (step.step >= window.first && step.step <= window.last && step.*part) {
      times.push_back(*(step.*part));
    }
  }
  return times;
}

std::map<std::string, double> PartMedians(const std::vector<StepRow>& steps,
                                          StepWindow window) {
  std::map<std::string, double> medians;
  for (const StepPart& part : kStepParts) {
    if (const auto median = Median(PartTimes(steps, window, part.field))) {
      medians[part.term] = *median;
    }
  }
  return medians;
}

}  // namespace zs::results
