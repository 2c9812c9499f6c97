#include "runner/sweep/sweep_rows.h"

#include "runner/sweep/prepare.h"

namespace zs {

results::Experiment RecordOf(const Experiment& experiment, const Key& key,
                             const std::string& spec_json) {
  results::Experiment row;
  row.name = experiment.name;
  row.key = key.hash;
  row.key_parts_json = KeyPartsJson(key);
  row.spec_json = spec_json;
  row.needs = experiment.needs;
  row.backend = BackendName(experiment.backend);
  row.model = experiment.model.name;
  row.world_size = experiment.world_size();
  row.ranks_per_node = experiment.topology.ranks_per_node;
  if (experiment.has_train) {
    row.zero_requested = experiment.train.zero_stage;
    row.micro_batch = experiment.train.micro_batch;
    row.global_batch = experiment.train.global_batch;
    row.seq_len = experiment.train.seq_len;
    row.steps = experiment.train.steps;
    row.warmup_steps = experiment.train.warmup_steps;
    row.dtype = experiment.train.dtype;
  }
  return row;
}

results::NotRun NotRunOf(const Decision& decision) {
  if (decision.action == Action::kCached) {
    return results::NotRun::kCached;
  }
  switch (decision.cause) {
    case SkipCause::kNeedFailed:
      return results::NotRun::kSkippedNeedFailed;
    case SkipCause::kDoesNotFit:
      return results::NotRun::kSkippedDoesNotFit;
    case SkipCause::kNone:
    case SkipCause::kExcluded:
    case SkipCause::kNotSelected:
      break;
  }
  return results::NotRun::kSkippedExcluded;
}

std::vector<results::PredictionRow> PredictionsOf(const Derived& derived) {
  std::vector<results::PredictionRow> rows;
  for (const auto& [term, value] : derived.step.terms()) {
    rows.push_back({.term = term, .value = value, .profile = derived.profile});
  }
  return rows;
}

}  // namespace zs
