#include "runner/backend/engine_driver.h"

#include <utility>

#include "base/files.h"
#include "base/json.h"
#include "engine/api/footprint.h"
#include "engine/api/layout.h"
#include "results/store/mask.h"
#include "runner/backend/engine_backend.h"
#include "runner/backend/engine_observer.h"
#include "runner/backend/places.h"
#include "runner/backend/verify_load.h"
#include "runner/reach/node_files.h"

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
    return {.steps = experiment.train.steps};
  }

  CheckpointConfig Saves(const Experiment& experiment,
                         const std::string& folder) const override {
    return CheckpointsOf(experiment, folder);
  }

  // Engine and configuration are put on every node behind a `reach` that does
  // not have them with this content.
  Status Prepare(const Experiment& experiment, AgentPool& agents,
                 Launch& launch) const override {
    RETURN_IF_ERROR(MeetAtPort(experiment, agents, launch));
    RETURN_IF_ERROR(WriteFileAtomically(
        launch.folder + "/config.json",
        DumpJsonPretty(ToJson(EngineRunConfig(experiment, launch))) + "\n"));
    if (experiment.topology.reach.empty()) {
      return OkStatus();
    }
    ASSIGN_OR_RETURN(const FileSet engine, ProgramFiles(launch.engine_path));
    ASSIGN_OR_RETURN(const FileSet config,
                     OneFile(launch.folder + "/config.json"));
    ASSIGN_OR_RETURN(const std::vector<std::string> engine_paths,
                     PutOnAllNodes(engine, experiment.topology, agents));
    ASSIGN_OR_RETURN(const std::vector<std::string> config_paths,
                     PutOnAllNodes(config, experiment.topology, agents));
    for (size_t i = 0; i < engine_paths.size(); ++i) {
      launch.nodes.push_back({engine_paths[i], config_paths[i]});
    }
    return OkStatus();
  }

  RunRequest Compose(const Experiment& experiment,
                     const Launch& launch) const override {
    return EngineRequest(experiment, launch);
  }

  Launch Imagine(const Experiment& experiment, Launch launch) const override {
    launch.folder = "FOLDER";
    launch.checkpoint = Saves(experiment, launch.folder);
    if (!experiment.topology.reach.empty()) {
      const auto engine = ProgramFiles(launch.engine_path);
      launch.nodes.assign(
          experiment.topology.nodes.size(),
          {.engine_path = "CACHE/files/" +
                          (engine.ok() ? engine->hash : "HASH") + "/engine",
           .config_path = "CACHE/files/HASH/config.json"});
    }
    return launch;
  }

  std::string ShownFiles(const Experiment& experiment,
                         const Launch& launch) const override {
    const Json config =
        results::MaskDocument(ToJson(EngineRunConfig(experiment, launch)));
    return " FOLDER/config.json: " + DumpJson(config) + "\n";
  }

  std::unique_ptr<BackendObserver> Observe(const Experiment& experiment,
                                           StepSink on_step) const override {
    return std::make_unique<EngineObserver>(std::move(on_step),
                                            experiment.device == "cuda");
  }

  Status CompareResumed(const RunRecord& first, const RunRecord& resumed,
                        int64_t loaded_step) const override {
    return CompareAfterLoad(first, resumed, loaded_step, /*tolerance=*/0);
  }
};

}  // namespace

const BackendDriver& EngineBackendDriver() {
  static const EngineDriver driver;
  return driver;
}

}  // namespace zs
