#include "runner/plan/spec/experiment.h"

namespace zs {

std::string_view BackendName(Backend backend) {
  switch (backend) {
    case Backend::kEngine:
      return "engine";
    case Backend::kMegatron:
      return "megatron";
    case Backend::kCommand:
      return "command";
    case Backend::kCollectives:
      return "collectives";
  }
  return "";
}

bool RunsEngine(const Experiment& experiment) {
  return experiment.backend == Backend::kEngine ||
         experiment.backend == Backend::kCollectives;
}

int DataParallelSize(const Experiment& experiment) {
  const int world_size = experiment.world_size();
  if (!experiment.megatron) {
    return world_size;
  }
  return world_size / (experiment.megatron->tensor_parallel *
                       experiment.megatron->pipeline_parallel);
}

std::vector<std::pair<std::string, int64_t>> LimitsSet(
    const ProcessLimits& limits) {
  std::vector<std::pair<std::string, int64_t>> set;
  const std::pair<const char*, std::optional<int64_t>> fields[] = {
      {"memlock_bytes", limits.memlock_bytes},
      {"open_files", limits.open_files},
      {"core_bytes", limits.core_bytes}};
  for (const auto& [name, value] : fields) {
    if (value) {
      set.emplace_back(name, *value);
    }
  }
  return set;
}

RunConfig EngineConfig(const Experiment& experiment) {
  RunConfig config;
  config.experiment = experiment.name;
  config.device = experiment.device;
  config.model = experiment.model;
  config.data = experiment.data;
  config.train = experiment.train;
  config.checkpoint.save_at_end = experiment.checkpoint.save_at_end;
  config.checkpoint.save_every = experiment.checkpoint.save_every;
  config.threads_per_rank = experiment.threads_per_rank;
  // The runner sees a hang first and can look at the ranks before they end.
  config.collective_timeout_s = 1.25 * experiment.limits.hang_s + 10;
  return config;
}

}  // namespace zs
