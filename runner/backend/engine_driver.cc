#include "runner/backend/engine_driver.h"

#include <utility>

#include "base/json.h"
#include "engine/api/footprint.h"
#include "engine/api/layout.h"
#include "runner/backend/engine_backend.h"
#include "runner/backend/engine_files.h"
#include "runner/backend/engine_observer.h"
#include "runner/backend/launch.h"
#include "runner/backend/verify_load.h"

namespace zs {
namespace {

class EngineDriver final : public BackendDriver {
 public:
  Prediction Predict(const Experiment& experiment) const override {
    const RunConfig config = EngineConfig(experiment);
    const int world_size = experiment.world_size();
    Prediction prediction;
    prediction.memory = MemoryRowOf(0, PredictMemory(config, world_size));
    for (const CommUse& use : CommTheory(config, world_size)) {
      prediction.comm.push_back({.op = use.op, .bytes_per_step = use.bytes});
    }
    return prediction;
  }

  Completion Wanted(const Experiment& experiment) const override {
    return {.steps = experiment.train.steps, .parameters = true};
  }

  CheckpointConfig Saves(const Experiment& experiment,
                         const std::string& folder) const override {
    return CheckpointsOf(experiment, folder);
  }

  Status Prepare(const Experiment& experiment, AgentPool& agents,
                 Launch& launch) const override {
    return PrepareEngine(ToJson(EngineRunConfig(experiment, launch)),
                         experiment, agents, launch);
  }

  RunRequest Compose(const Experiment& experiment,
                     const Launch& launch) const override {
    return EngineRequest(experiment, launch);
  }

  Launch Imagine(const Experiment& experiment, Launch launch) const override {
    launch.checkpoint = Saves(experiment, "FOLDER");
    return ImagineEngine(experiment, std::move(launch));
  }

  std::string ShownFiles(const Experiment& experiment,
                         const Launch& launch) const override {
    return ShownConfig(ToJson(EngineRunConfig(experiment, launch)));
  }

  std::unique_ptr<BackendObserver> Observe(const Experiment& experiment,
                                           StepSink on_step) const override {
    return std::make_unique<EngineObserver>(std::move(on_step),
                                            experiment.device == "cuda");
  }

  Status CompareResumed(const RunRecord& first, const RunRecord& resumed,
                        int64_t loaded_step) const override {
    RETURN_IF_ERROR(CheckLoaded(resumed, loaded_step));
    return CompareAfterLoad(first, resumed, loaded_step, /*tolerance=*/0);
  }
};

}  // namespace

const BackendDriver& EngineBackendDriver() {
  static const EngineDriver driver;
  return driver;
}

}  // namespace zs
