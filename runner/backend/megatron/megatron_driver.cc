#include "runner/backend/megatron/megatron_driver.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files.h"
#include "runner/backend/launch.h"
#include "runner/backend/log_observer.h"
#include "runner/backend/megatron/arguments.h"
#include "runner/backend/megatron/check.h"
#include "runner/backend/megatron/stage_flags.h"
#include "runner/backend/megatron/tree.h"
#include "runner/backend/places.h"
#include "runner/backend/torchrun.h"
#include "runner/backend/verify_load.h"

namespace zs {
namespace {

// A loss after loading may differ by this share: kernels on GPUs do not add in
// the same order each time. A checkpoint that was not loaded differs by much
// more.
constexpr double kLossTolerance = 0.01;

// The version that is known without asking the nodes.
std::optional<MegatronVersion> KnownVersion(const Experiment& experiment) {
  const MegatronSpec& spec = *experiment.megatron;
  auto version = experiment.topology.reach.empty()
                     ? VersionOnThisHost(spec.root)
                     : Result<MegatronVersion>(NotFoundError("elsewhere"));
  if (!version.ok() && !spec.version.empty()) {
    version = ParseMegatronVersion(spec.version);
  }
  return version.ok() ? std::optional(*version) : std::nullopt;
}

std::string NumbersOf(const MegatronVersion& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor) +
         "." + std::to_string(version.patch);
}

// The first error among NOTES.
Status FirstError(const std::vector<PlanNote>& notes) {
  for (const PlanNote& note : notes) {
    if (note.is_error) {
      return FailedPreconditionError(note.field + ": " + note.message);
    }
  }
  return OkStatus();
}

// <artifact_root>/logs/<name>_node<k>.log, on this host, show the logs of the
// newest run.
Status LinkLogs(const Experiment& experiment, const Launch& launch) {
  const std::string& root = experiment.megatron->artifact_root;
  if (root.empty()) {
    return OkStatus();
  }
  const std::string folder = root + "/logs";
  RETURN_IF_ERROR(
      MakeFolders(folder).WithContext("megatron.artifact_root on this host"));
  for (size_t k = 0; k < experiment.topology.nodes.size(); ++k) {
    const std::string number = std::to_string(k);
    const std::string link =
        folder + "/" + experiment.name + "_node" + number + ".log";
    const std::string fresh = link + ".new";
    std::error_code error;
    std::filesystem::remove(fresh, error);
    std::filesystem::create_symlink(launch.folder + "/rank" + number + ".log",
                                    fresh, error);
    if (!error) {
      std::filesystem::rename(fresh, link, error);
    }
    if (error) {
      return UnavailableError(link + ": " + error.message());
    }
  }
  return OkStatus();
}

std::vector<std::string> ComposedArgv(const Experiment& experiment,
                                      const Launch& launch, int node_rank) {
  const auto version = ParseMegatronVersion(launch.tree_version);
  const std::string log_folder =
      experiment.topology.reach.empty() ? launch.folder + "/torchrun" : "";
  std::vector<std::string> argv =
      TorchrunArgv(experiment, launch, node_rank, log_folder);
  argv.push_back(ScriptOf(*experiment.megatron));
  if (!version.ok()) {
    argv.emplace_back("ARGUMENTS-FOR-THE-VERSION-ON-THE-NODES");
    return argv;
  }
  const StagePlan stage =
      PlanStage(*version, FamilyOf(experiment), experiment.train.zero_stage);
  std::vector<std::string> arguments =
      MegatronArguments(experiment, *version, stage, launch.checkpoint);
  if (launch.load_step > 0) {
    arguments.emplace_back("--ckpt-step");
    arguments.push_back(std::to_string(launch.load_step));
  }
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

// Tensor parallelism asserts it before Blackwell; FSDP forbids it.
bool WantsOneConnection(const Experiment& experiment) {
  return experiment.megatron->tensor_parallel > 1 &&
         !experiment.megatron->own_script &&
         FamilyOf(experiment) == MegatronFamily::kDdp &&
         !experiment.env.contains("CUDA_DEVICE_MAX_CONNECTIONS");
}

class MegatronDriver final : public BackendDriver {
 public:
  Completion Wanted(const Experiment& experiment) const override {
    return {.steps = experiment.train.steps,
            .any_stage = experiment.megatron->allow_effective};
  }

  std::vector<PlanNote> Examine(const Experiment& experiment) const override {
    return MegatronNotes(experiment, KnownVersion(experiment));
  }

  CheckpointConfig Saves(const Experiment& experiment,
                         const std::string& folder) const override {
    CheckpointConfig config = CheckpointsOf(experiment, folder);
    const std::string& root = experiment.megatron->artifact_root;
    if (!config.save_dir.empty() && experiment.checkpoint.dir.empty() &&
        !root.empty()) {
      config.save_dir = root + "/checkpoints/" + experiment.name;
    }
    return config;
  }

  Status Prepare(const Experiment& experiment, AgentPool& agents,
                 Launch& launch) const override {
    if (!experiment.megatron->own_script) {
      ASSIGN_OR_RETURN(const MegatronVersion version,
                       VersionOnNodes(experiment, agents));
      RETURN_IF_ERROR(FirstError(MegatronNotes(experiment, version)));
      launch.tree_version = NumbersOf(version);
    }
    RETURN_IF_ERROR(LinkLogs(experiment, launch));
    return MeetAtPort(experiment, agents, launch);
  }

  RunRequest Compose(const Experiment& experiment,
                     const Launch& launch) const override {
    const MegatronSpec& spec = *experiment.megatron;
    RunRequest request =
        LauncherRequest(experiment, launch, [&](int node_rank) {
          if (!spec.own_script) {
            return ComposedArgv(experiment, launch, node_rank);
          }
          std::vector<std::string> argv = {ScriptOf(spec)};
          argv.insert(argv.end(), spec.args.begin(), spec.args.end());
          return argv;
        });
    for (NodeRequest& node : request.nodes) {
      node.cwd = spec.root;
      for (RankRequest& process : node.ranks) {
        if (WantsOneConnection(experiment)) {
          process.env.emplace_back("CUDA_DEVICE_MAX_CONNECTIONS=1");
        }
      }
    }
    return request;
  }

  Launch Imagine(const Experiment& experiment, Launch launch) const override {
    launch.folder = "FOLDER";
    launch.checkpoint = Saves(experiment, launch.folder);
    if (const auto version = KnownVersion(experiment)) {
      launch.tree_version = NumbersOf(*version);
    }
    return launch;
  }

  std::unique_ptr<BackendObserver> Observe(const Experiment& experiment,
                                           StepSink on_step) const override {
    static_cast<void>(experiment);
    LogReading reading;
    reading.role = ProcessRole::kLauncher;
    reading.uses_nccl = true;
    return std::make_unique<LogObserver>(std::move(reading),
                                         std::move(on_step));
  }

  Status CompareResumed(const RunRecord& first, const RunRecord& resumed,
                        int64_t loaded_step) const override {
    return CompareAfterLoad(first, resumed, loaded_step, kLossTolerance);
  }
};

}  // namespace

const BackendDriver& MegatronBackendDriver() {
  static const MegatronDriver driver;
  return driver;
}

}  // namespace zs
