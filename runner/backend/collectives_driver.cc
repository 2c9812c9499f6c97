#include "runner/backend/collectives_driver.h"

#include <memory>
#include <utility>

#include "runner/backend/engine_backend.h"
#include "runner/backend/engine_files.h"
#include "runner/backend/engine_observer.h"

namespace zs {
namespace {

constexpr int64_t kElementBytes = 4;

class CollectivesDriver final : public BackendDriver {
 public:
  Completion Wanted(const Experiment& experiment) const override {
    return {.steps = MeasurementsOf(CollectivesRunOf(experiment).collectives,
                                    experiment.world_size()),
            .zero_stage = false};
  }

  Status Prepare(const Experiment& experiment, AgentPool& agents,
                 Launch& launch) const override {
    return PrepareEngine(ToJson(CollectivesRunOf(experiment)), experiment,
                         agents, launch);
  }

  RunRequest Compose(const Experiment& experiment,
                     const Launch& launch) const override {
    return EngineRequest(experiment, launch);
  }

  Launch Imagine(const Experiment& experiment, Launch launch) const override {
    return ImagineEngine(experiment, std::move(launch));
  }

  std::string ShownFiles(const Experiment& experiment,
                         const Launch& launch) const override {
    static_cast<void>(launch);
    return ShownConfig(ToJson(CollectivesRunOf(experiment)));
  }

  std::unique_ptr<BackendObserver> Observe(const Experiment& experiment,
                                           StepSink on_step) const override {
    return std::make_unique<EngineObserver>(std::move(on_step),
                                            experiment.device == "cuda");
  }
};

}  // namespace

CollectivesRun CollectivesRunOf(const Experiment& experiment) {
  const CollectivesSpec& spec = experiment.collectives.value();
  return {.experiment = experiment.name,
          .device = experiment.device,
          .collectives = {.ops = spec.ops,
                          .min_bytes = spec.min_bytes,
                          .max_bytes = spec.max_bytes,
                          .iterations = spec.iterations,
                          .warmup = spec.warmup,
                          .check = spec.check},
          .threads_per_rank = experiment.threads_per_rank};
}

// As the engine does: each size that has an element for each rank, out of place
// and, but for send_receive, in place.
int64_t MeasurementsOf(const CollectivesConfig& config, int ranks) {
  int64_t sizes = 0;
  for (int64_t bytes = config.min_bytes; bytes <= config.max_bytes;
       bytes *= 2) {
    sizes += bytes >= kElementBytes * ranks ? 1 : 0;
  }
  int64_t measurements = 0;
  for (const std::string& op : config.ops) {
    measurements += (op == "send_receive" ? 1 : 2) * sizes;
  }
  return measurements;
}

const BackendDriver& CollectivesBackendDriver() {
  static const CollectivesDriver driver;
  return driver;
}

}  // namespace zs
