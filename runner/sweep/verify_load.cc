#include "runner/sweep/verify_load.h"

#include <array>
#include <cstdio>
#include <map>

namespace zs {
namespace {

// VALUE so that each bit shows.
std::string Exact(double value) {
  std::array<char, 40> text{};
  const int size = std::snprintf(text.data(), text.size(), "%.17g", value);
  return {text.data(), static_cast<size_t>(size)};
}

Status Differs(int64_t step, const std::string& what, double first,
               double resumed) {
  return DataLossError("step " + std::to_string(step) + ": " + what + " " +
                       Exact(resumed) + " after loading, " + Exact(first) +
                       " without a stop");
}

Status CompareSteps(const StepEvent& first, const StepEvent& resumed) {
  if (first.loss != resumed.loss) {
    return Differs(first.step, "loss", first.loss, resumed.loss);
  }
  if (first.grad_norm != resumed.grad_norm) {
    return Differs(first.step, "gradient norm", first.grad_norm,
                   resumed.grad_norm);
  }
  return OkStatus();
}

}  // namespace

std::optional<CheckpointEvent> CheckpointToLoad(const RunRecord& record) {
  std::optional<CheckpointEvent> best;
  const int64_t last = record.steps.empty() ? 0 : record.steps.back().step;
  for (const CheckpointEvent& event : record.checkpoints) {
    if (event.action == "saved" && event.step < last &&
        (!best.has_value() || event.step > best->step)) {
      best = event;
    }
  }
  return best;
}

Status CompareResumed(const RunRecord& first, const RunRecord& resumed,
                      int64_t loaded_step) {
  std::map<int64_t, const StepEvent*> again;
  for (const StepEvent& step : resumed.steps) {
    again[step.step] = &step;
  }
  for (const StepEvent& step : first.steps) {
    if (step.step <= loaded_step) {
      continue;
    }
    const auto found = again.find(step.step);
    if (found == again.end()) {
      return DataLossError("step " + std::to_string(step.step) +
                           ": missing after loading");
    }
    RETURN_IF_ERROR(CompareSteps(step, *found->second));
  }
  for (const auto& [rank, end] : first.ends) {
    const auto other = resumed.ends.find(rank);
    if (other == resumed.ends.end() ||
        other->second.parameters_sha256 != end.parameters_sha256) {
      return DataLossError("rank " + std::to_string(rank) +
                           ": other parameters at the end after loading");
    }
  }
  return OkStatus();
}

}  // namespace zs
