#include "runner/backend/verify_load.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>

namespace zs {
namespace {

// VALUE so that each bit shows.
std::string Exact(double value) {
  std::array<char, 40> text{};
  const int size = std::snprintf(text.data(), text.size(), "%.17g", value);
  return {text.data(), static_cast<size_t>(size)};
}

std::string Exact(std::optional<double> value) {
  return value.has_value() ? Exact(*value) : "unknown";
}

bool Equal(std::optional<double> first, std::optional<double> resumed,
           double tolerance) {
  if (!first.has_value() || !resumed.has_value()) {
    return false;
  }
  return *first == *resumed ||
         std::abs(*first - *resumed) <= tolerance * std::abs(*first);
}

Status Differs(int64_t step, const std::string& what,
               std::optional<double> first, std::optional<double> resumed) {
  return DataLossError("step " + std::to_string(step) + ": " + what + " " +
                       Exact(resumed) + " after loading, " + Exact(first) +
                       " without a stop");
}

Status CompareSteps(const results::StepRow& first,
                    const results::StepRow& resumed, double tolerance) {
  if (!Equal(first.loss, resumed.loss, tolerance)) {
    return Differs(first.step, "loss", first.loss, resumed.loss);
  }
  const bool exact = tolerance == 0 && first.grad_norm.has_value();
  if (exact && !Equal(first.grad_norm, resumed.grad_norm, tolerance)) {
    return Differs(first.step, "gradient norm", first.grad_norm,
                   resumed.grad_norm);
  }
  return OkStatus();
}

// A run that does the steps before the checkpoint again has loaded nothing,
// and with the same seed it does the same.
Status CheckStart(const RunRecord& resumed, int64_t loaded_step) {
  if (!resumed.steps.empty() && resumed.steps.front().step <= loaded_step) {
    return DataLossError(
        "nothing was loaded: the run that should go on from step " +
        std::to_string(loaded_step) + " began with step " +
        std::to_string(resumed.steps.front().step));
  }
  return OkStatus();
}

}  // namespace

Status CheckLoaded(const RunRecord& resumed, int64_t loaded_step) {
  std::set<int> loaded;
  for (const CheckpointEvent& event : resumed.checkpoints) {
    if (event.action == "loaded" && event.step == loaded_step) {
      loaded.insert(event.rank);
    }
  }
  if (!resumed.effective.world_size.has_value()) {
    return DataLossError("how many ranks loaded is unknown");
  }
  for (int rank = 0; rank < *resumed.effective.world_size; ++rank) {
    if (!loaded.contains(rank)) {
      return DataLossError("rank " + std::to_string(rank) +
                           ": did not say that it loaded the checkpoint of "
                           "step " +
                           std::to_string(loaded_step));
    }
  }
  return OkStatus();
}

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

Status CompareAfterLoad(const RunRecord& first, const RunRecord& resumed,
                        int64_t loaded_step, double tolerance) {
  RETURN_IF_ERROR(CheckStart(resumed, loaded_step));
  std::map<int64_t, const results::StepRow*> again;
  for (const results::StepRow& step : resumed.steps) {
    again[step.step] = &step;
  }
  for (const results::StepRow& step : first.steps) {
    if (step.step <= loaded_step) {
      continue;
    }
    const auto found = again.find(step.step);
    if (found == again.end()) {
      return DataLossError("step " + std::to_string(step.step) +
                           ": missing after loading");
    }
    RETURN_IF_ERROR(CompareSteps(step, *found->second, tolerance));
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
