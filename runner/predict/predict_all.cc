#include "runner/predict/predict_all.h"

#include <string>
#include <unordered_map>

namespace zs {
namespace {

// All that a step's time may depend on, as text.
std::string ShapeOf(const Experiment& experiment) {
  TrainConfig train = experiment.train;
  train.seed = 0;
  train.lr = 0;
  train.steps = 0;
  return std::to_string(experiment.topology.nodes.size()) + '/' +
         std::to_string(experiment.topology.ranks_per_node) + '/' +
         std::to_string(experiment.threads_per_rank) +
         DumpJson(ToJson(experiment.model)) + DumpJson(ToJson(train));
}

}  // namespace

Placement PlacementOf(const Experiment& experiment) {
  return {.nodes = static_cast<int>(experiment.topology.nodes.size()),
          .ranks_per_node = experiment.topology.ranks_per_node};
}

void PredictAll(const Sweep& sweep, const MachineProfile& profile,
                std::vector<Derived>& derived) {
  std::unordered_map<std::string, StepPrediction> known;
  for (size_t i = 0; i < sweep.experiments.size(); ++i) {
    const Experiment& experiment = sweep.experiments[i];
    if (experiment.backend != Backend::kEngine ||
        experiment.model.layers == 0 || experiment.device != profile.device) {
      continue;
    }
    const auto [found, added] = known.try_emplace(ShapeOf(experiment));
    if (added) {
      found->second = PredictStep(EngineConfig(experiment),
                                  PlacementOf(experiment), profile);
    }
    derived[i].step = found->second;
    derived[i].profile = profile.name;
  }
}

}  // namespace zs
