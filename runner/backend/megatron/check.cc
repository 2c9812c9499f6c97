#include "runner/backend/megatron/check.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "runner/backend/megatron/arguments.h"

namespace zs {
namespace {

constexpr char kConnections[] = "CUDA_DEVICE_MAX_CONNECTIONS";

// Arguments that the runner composes itself: given again they would decide
// instead of the experiment's own fields.
constexpr std::string_view kComposed[] = {
    "--micro-batch-size",
    "--global-batch-size",
    "--seq-length",
    "--train-iters",
    "--log-interval",
    "--tensor-model-parallel-size",
    "--pipeline-model-parallel-size",
    "--use-distributed-optimizer",
    "--overlap-grad-reduce",
    "--overlap-param-gather",
    "--data-parallel-sharding-strategy",
    "--use-megatron-fsdp",
    "--use-custom-fsdp",
    "--use-torch-fsdp2",
    "--ckpt-format",
    "--save",
    "--load",
};

class Notes {
 public:
  explicit Notes(const Experiment& experiment) : experiment_(experiment) {}

  void Error(std::string_view field, std::string message) {
    notes_.push_back({.is_error = true,
                      .field = std::string(field),
                      .message = std::move(message)});
  }
  void Warning(std::string_view field, std::string message) {
    notes_.push_back(
        {.field = std::string(field), .message = std::move(message)});
  }

  void Arguments() {
    for (const std::string& word : experiment_.megatron->args) {
      const std::string_view flag =
          std::string_view(word).substr(0, word.find('='));
      if (std::find(std::begin(kComposed), std::end(kComposed), flag) !=
          std::end(kComposed)) {
        Error("megatron.args",
              std::string(flag) +
                  " is composed from the experiment's own fields; take it out");
      }
    }
  }

  void Stage(const MegatronVersion& version, const StagePlan& stage) {
    if (!stage.reason.empty()) {
      if (stage.possible() && experiment_.megatron->allow_effective) {
        Warning("train.zero_stage", stage.reason);
      } else {
        Error("train.zero_stage", stage.reason);
      }
    }
    if (stage.possible()) {
      Warning("train.zero_stage",
              "Megatron-LM " + version.text + ", " +
                  std::string(MegatronFamilyName(FamilyOf(experiment_))) +
                  ": asked for ZeRO-" + std::to_string(stage.asked) +
                  ", in effect ZeRO-" + std::to_string(stage.effective));
    }
    if (!stage.warning.empty()) {
      Warning("train.zero_stage", stage.warning);
    }
  }

  void Connections() {
    const auto it = experiment_.env.find(kConnections);
    const bool is_one = it != experiment_.env.end() && it->second == "1";
    const bool fsdp = FamilyOf(experiment_) == MegatronFamily::kFsdp;
    const bool tensor = experiment_.megatron->tensor_parallel > 1;
    if (fsdp && is_one) {
      Error(std::string("env.") + kConnections,
            "1, but FSDP asserts that it is unset or above 1; take it out");
    }
    if (fsdp && tensor) {
      Warning("megatron.tensor_parallel",
              "tensor parallelism wants " + std::string(kConnections) +
                  "=1 before Blackwell, and FSDP forbids it");
    }
    if (!fsdp && tensor && it != experiment_.env.end() && !is_one) {
      Warning(std::string("env.") + kConnections,
              "'" + it->second +
                  "', but tensor parallelism asserts 1 on GPUs before "
                  "Blackwell");
    }
  }

  void Vocabulary() {
    if (experiment_.model.layers == 0) {
      return;
    }
    const int64_t vocab = experiment_.model.vocab;
    const int64_t padded =
        PaddedVocabulary(vocab, experiment_.megatron->tensor_parallel);
    if (padded != vocab) {
      Warning("model.vocab", std::to_string(vocab) + " is padded to " +
                                 std::to_string(padded) +
                                 " rows, so the model has more parameters "
                                 "than the experiment says");
    }
  }

  void Checkpoints(const StagePlan& stage) {
    const CheckpointPlan& plan = experiment_.checkpoint;
    const bool saves =
        plan.save_at_end || plan.save_every > 0 || plan.verify_load;
    if (saves && stage.checkpoint_format == "fsdp_dtensor") {
      Warning("checkpoint",
              "saved as fsdp_dtensor, which runs without FSDP cannot load");
    }
    if (saves && experiment_.topology.nodes.size() > 1 && plan.dir.empty() &&
        experiment_.megatron->artifact_root.empty()) {
      Error("checkpoint.dir",
            "several nodes need a folder that they share; set it or "
            "megatron.artifact_root");
    }
  }

  std::vector<PlanNote> Take() { return std::move(notes_); }

 private:
  const Experiment& experiment_;
  std::vector<PlanNote> notes_;
};

}  // namespace

MegatronFamily FamilyOf(const Experiment& experiment) {
  return experiment.megatron->data_parallel == "fsdp" ? MegatronFamily::kFsdp
                                                      : MegatronFamily::kDdp;
}

std::vector<PlanNote> MegatronNotes(
    const Experiment& experiment,
    const std::optional<MegatronVersion>& version) {
  Notes notes(experiment);
  if (experiment.megatron->own_script) {
    return {};  // its flags are its own; the log says what was in effect
  }
  notes.Arguments();
  notes.Connections();
  notes.Vocabulary();
  if (!version.has_value()) {
    notes.Warning("megatron.root",
                  "the tree's version is read on the nodes when the run "
                  "starts; megatron.version lets the plan know it now");
    notes.Checkpoints(StagePlan());
    return notes.Take();
  }
  const StagePlan stage =
      PlanStage(*version, FamilyOf(experiment), experiment.train.zero_stage);
  notes.Stage(*version, stage);
  notes.Checkpoints(stage);
  return notes.Take();
}

}  // namespace zs
