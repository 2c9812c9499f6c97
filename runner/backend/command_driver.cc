#include "runner/backend/command_driver.h"

#include <utility>

#include "runner/backend/log_observer.h"
#include "runner/backend/places.h"
#include "runner/backend/torchrun.h"

namespace zs {
namespace {

// Whether the experiment says that its program tells steps.
bool TellsSteps(const Experiment& experiment) {
  return experiment.has_train || !experiment.command->step_pattern.empty();
}

RunRequest RanksAlone(const Experiment& experiment, const Launch& launch) {
  RunRequest request = RequestWithoutRanks(experiment, launch);
  const int per_node = experiment.topology.ranks_per_node;
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    const int node_rank = static_cast<int>(i);
    for (int local = 0; local < per_node; ++local) {
      RankRequest rank;
      rank.rank = node_rank * per_node + local;
      rank.argv = experiment.command->argv;
      rank.env = RankVariables(experiment, launch, node_rank, local);
      AddPythonVariables(experiment, rank.env);
      request.nodes[i].ranks.push_back(std::move(rank));
    }
  }
  return request;
}

RunRequest UnderTorchrun(const Experiment& experiment, const Launch& launch) {
  // Only on this host is the run's folder there.
  const std::string log_folder =
      experiment.topology.reach.empty() ? launch.folder + "/torchrun" : "";
  return LauncherRequest(experiment, launch, [&](int node_rank) {
    std::vector<std::string> argv =
        TorchrunArgv(experiment, launch, node_rank, log_folder);
    const std::vector<std::string>& script = experiment.command->argv;
    argv.insert(argv.end(), script.begin(), script.end());
    return argv;
  });
}

class CommandDriver final : public BackendDriver {
 public:
  Completion Wanted(const Experiment& experiment) const override {
    const CommandSpec& spec = *experiment.command;
    Completion wanted;
    wanted.steps = experiment.has_train ? experiment.train.steps : 0;
    wanted.any_step = TellsSteps(experiment);
    wanted.step_times =
        spec.step_pattern.empty() || !spec.step_ms_pattern.empty();
    wanted.zero_stage = false;
    wanted.world_size = false;
    return wanted;
  }

  Status Prepare(const Experiment& experiment, AgentPool& agents,
                 Launch& launch) const override {
    return MeetAtPort(experiment, agents, launch);
  }

  RunRequest Compose(const Experiment& experiment,
                     const Launch& launch) const override {
    RunRequest request = experiment.command->torchrun
                             ? UnderTorchrun(experiment, launch)
                             : RanksAlone(experiment, launch);
    for (NodeRequest& node : request.nodes) {
      node.cwd = experiment.command->cwd;
    }
    if (!TellsSteps(experiment)) {
      // It may be silent: the limit of the whole run is all there is.
      request.limits.start_s = 0;
      request.limits.first_step_s = 0;
      request.limits.hang_s = 0;
    }
    return request;
  }

  Launch Imagine(const Experiment& experiment, Launch launch) const override {
    static_cast<void>(experiment);
    launch.folder = "FOLDER";
    return launch;
  }

  std::unique_ptr<BackendObserver> Observe(const Experiment& experiment,
                                           StepSink on_step) const override {
    LogReading reading;
    reading.role = experiment.command->torchrun ? ProcessRole::kLauncher
                                                : ProcessRole::kRank;
    if (!experiment.command->step_pattern.empty()) {
      reading.figures = experiment.command;
    }
    reading.uses_nccl = experiment.device == "cuda";
    return std::make_unique<LogObserver>(std::move(reading),
                                         std::move(on_step));
  }
};

}  // namespace

const BackendDriver& CommandBackendDriver() {
  static const CommandDriver driver;
  return driver;
}

}  // namespace zs
