#include "results/report/fairness.h"

#include <utility>

#include "base/json.h"
#include "results/report/gpu_state.h"
#include "results/report/json_difference.h"

namespace zs::results {
namespace {

struct Attribute {
  std::string_view path;  // the beginning of a path
  Fairness fairness;
};

// What the ranks compute is the question; where they run, with which libraries
// and how a step is cut into micro-batches are conditions.
constexpr Attribute kAttributes[] = {
    {"asked.backend", Fairness::kUnfair},
    {"asked.device", Fairness::kUnfair},
    {"asked.model", Fairness::kUnfair},
    {"asked.model.name", Fairness::kNoted},
    {"asked.data", Fairness::kUnfair},
    {"asked.megatron", Fairness::kUnfair},
    {"asked.command", Fairness::kUnfair},
    // Batch, sequence, precision, recomputation, overlap, determinism, ...
    {"asked.train", Fairness::kUnfair},
    {"asked.train.zero_stage", Fairness::kIgnored},
    {"asked.train.micro_batch", Fairness::kNoted},
    {"asked.train.steps", Fairness::kNoted},
    {"asked.train.warmup_steps", Fairness::kNoted},
    {"asked.topology", Fairness::kNoted},
    {"asked.topology.master_port", Fairness::kIgnored},
    {"asked.env", Fairness::kNoted},
    {"asked.checkpoint", Fairness::kNoted},
    {"asked.compare", Fairness::kIgnored},
    {"asked.exclude", Fairness::kIgnored},
    {"asked.expect", Fairness::kIgnored},
    {"asked.limits", Fairness::kIgnored},
    {"asked.name", Fairness::kIgnored},
    {"asked.needs", Fairness::kIgnored},
    {"asked.repeats", Fairness::kIgnored},
    {"asked.sentinel", Fairness::kIgnored},
    {"asked.until", Fairness::kIgnored},
    {"in_effect.device", Fairness::kUnfair},
    {"in_effect.parameters", Fairness::kUnfair},
    {"data", Fairness::kUnfair},
    {"hardware", Fairness::kUnfair},  // GPUs, processors, memory
    {"environment.machine.host", Fairness::kNoted},
    // The runner's own folder: what ran is the engine.
    {"environment.git", Fairness::kNoted},
};

}  // namespace

Fairness FairnessOf(std::string_view path) {
  Fairness fairness = Fairness::kNoted;
  size_t longest = 0;
  for (const Attribute& attribute : kAttributes) {
    const size_t size = attribute.path.size();
    if (size > longest && path.starts_with(attribute.path) &&
        (path.size() == size || path[size] == '.' || path[size] == '_')) {
      fairness = attribute.fairness;
      longest = size;
    }
  }
  return fairness;
}

std::vector<Difference> ConditionDifferences(const MeasuredSide& baseline,
                                             const MeasuredSide& side) {
  std::vector<Difference> differences;
  const Result<Json> left = ParseJson(baseline.conditions_json);
  const Result<Json> right = ParseJson(side.conditions_json);
  if (!left.ok() || !right.ok() || side.summary.run_id == 0 ||
      baseline.summary.run_id == 0) {
    return differences;
  }
  for (const JsonDifference& d : DifferencesOf(*left, *right)) {
    const Fairness fairness = FairnessOf(d.path);
    if (fairness != Fairness::kIgnored) {
      differences.push_back({side.summary.name, d.path, d.left, d.right,
                             fairness == Fairness::kUnfair});
    }
  }
  for (Difference& d :
       GpuDifferences(side.summary.name, baseline.gpu, side.gpu)) {
    differences.push_back(std::move(d));
  }
  return differences;
}

}  // namespace zs::results
