#include "runner/sweep/node_gate.h"

#include "runner/sweep/node_answers.h"

namespace zs {

Status NodeGate::Decide(int64_t sweep_id,
                        const std::function<bool()>& must_stop) {
  for (const size_t i : preparation_.graph.order) {
    if (preparation_.decisions[i].if_nodes_agree && !must_stop()) {
      const auto found = Check(sweep_id, i, /*experiment_id=*/0);
      RETURN_IF_ERROR(found.status());
    }
  }
  return DecideWithAnswers(tools_.store.reader(), preparation_);
}

Result<const NodeChecks::Found*> NodeGate::Check(int64_t sweep_id, size_t i,
                                                 int64_t experiment_id) {
  const Experiment& experiment = preparation_.sweep().experiments[i];
  const NodeChecks::Found& found = checks_.Check(experiment);
  if (!found.all_ok) {
    return &found;
  }
  const bool completes = preparation_.facts[i].nodes_unasked;
  if (completes) {
    CompleteKey(preparation_, i, AnswersOf(experiment, found.results));
  }
  if (!found.fresh && !completes) {
    return &found;
  }
  results::Store::NodeAnswers answers;
  if (found.fresh) {
    answers.checks = RowsOf(found.results, tools_.clock.unix_ms());
  }
  answers.key = preparation_.keys[i].hash;
  answers.key_parts_json = KeyPartsJson(preparation_.keys[i]);
  RETURN_IF_ERROR(tools_.store.AddNodeAnswers(
      sweep_id, completes ? experiment_id : 0, answers));
  return &found;
}

}  // namespace zs
