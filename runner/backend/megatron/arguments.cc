#include "runner/backend/megatron/arguments.h"

#include <string_view>
#include <utility>

#include "base/strings.h"

namespace zs {
namespace {

constexpr int64_t kVocabularyDivisor = 128;

// Flags and their values, in the order in which they are added.
class ArgumentList {
 public:
  void Add(std::string_view flag) { words_.emplace_back(flag); }
  void Add(std::string_view flag, std::string value) {
    words_.emplace_back(flag);
    words_.push_back(std::move(value));
  }
  void Add(std::string_view flag, int64_t value) {
    Add(flag, std::to_string(value));
  }
  void Add(std::string_view flag, double value) {
    Add(flag, FormatNumber(value));
  }
  void AddIf(bool condition, std::string_view flag) {
    if (condition) {
      Add(flag);
    }
  }
  void AddAll(const std::vector<std::string>& words) {
    words_.insert(words_.end(), words.begin(), words.end());
  }

  std::vector<std::string> Take() { return std::move(words_); }

 private:
  std::vector<std::string> words_;
};

void AddModel(const ModelConfig& model, ArgumentList& list) {
  list.Add("--num-layers", model.layers);
  list.Add("--hidden-size", model.hidden);
  list.Add("--ffn-hidden-size", model.ffn);
  list.Add("--num-attention-heads", model.heads);
  if (model.kv_heads != model.heads) {
    list.Add("--group-query-attention");
    list.Add("--num-query-groups", model.kv_heads);
  }
  list.Add("--kv-channels", model.head_size);
  list.AddIf(model.qk_norm, "--qk-layernorm");
  list.Add("--normalization",
           std::string(model.norm == "rmsnorm" ? "RMSNorm" : "LayerNorm"));
  list.Add("--norm-epsilon", model.norm_eps);
  list.AddIf(model.activation == "swiglu", "--swiglu");
  list.AddIf(!model.bias, "--disable-bias-linear");
  if (model.position == "rope") {
    list.Add("--position-embedding-type", std::string("rope"));
    list.Add("--rotary-percent", 1.0);
    list.Add("--rotary-base", static_cast<int64_t>(model.rope_theta));
  } else {
    list.Add("--position-embedding-type", std::string("learned_absolute"));
  }
  list.Add("--max-position-embeddings", model.max_seq_len);
  list.AddIf(!model.tied_embeddings, "--untie-embeddings-and-output-weights");
  list.Add("--init-method-std", model.init_std);
  list.Add("--attention-dropout", 0.0);
  list.Add("--hidden-dropout", 0.0);
}

void AddTokenizer(const Experiment& experiment, const MegatronVersion& version,
                  ArgumentList& list) {
  const MegatronSpec& spec = *experiment.megatron;
  list.Add("--make-vocab-size-divisible-by", kVocabularyDivisor);
  if (spec.tokenizer.empty()) {
    list.Add("--tokenizer-type", std::string("NullTokenizer"));
    list.Add("--vocab-size",
             NullTokenizerVocabulary(experiment.model.vocab, version));
  } else {
    list.Add("--tokenizer-type", std::string("HuggingFaceTokenizer"));
    list.Add("--tokenizer-model", spec.tokenizer);
  }
}

void AddData(const DataConfig& data, ArgumentList& list) {
  if (data.kind != "megatron") {
    list.Add("--mock-data");
    return;
  }
  list.Add("--data-path");
  list.AddAll(data.paths);
  list.Add("--split", std::string("100,0,0"));
}

void AddTraining(const TrainConfig& train, ArgumentList& list) {
  list.Add("--micro-batch-size", train.micro_batch);
  list.Add("--global-batch-size", train.global_batch);
  list.Add("--seq-length", train.seq_len);
  list.Add("--train-iters", train.steps);
  list.Add("--seed", static_cast<int64_t>(train.seed));
  list.Add("--lr", train.lr);
  list.Add("--min-lr", train.min_lr);
  list.Add("--lr-decay-style", train.lr_schedule);
  list.Add("--lr-warmup-iters", train.lr_warmup_steps);
  list.Add("--weight-decay", train.weight_decay);
  list.Add("--adam-beta1", train.beta1);
  list.Add("--adam-beta2", train.beta2);
  list.Add("--adam-eps", train.adam_eps);
  list.Add("--clip-grad", train.clip_grad);
  list.AddIf(train.dtype == "bf16", "--bf16");
  if (train.recompute == "full") {
    list.Add("--recompute-granularity", std::string("full"));
    list.Add("--recompute-method", std::string("uniform"));
    list.Add("--recompute-num-layers", int64_t{1});
  } else if (train.recompute == "cheap") {
    list.Add("--recompute-granularity", std::string("selective"));
  }
  // No evaluation: it would fall into the measured steps.
  list.Add("--eval-interval", train.steps + 1);
  list.Add("--eval-iters", int64_t{0});
}

void AddParallelism(const MegatronSpec& spec, const StagePlan& stage,
                    ArgumentList& list) {
  list.Add("--tensor-model-parallel-size", int64_t{spec.tensor_parallel});
  list.Add("--pipeline-model-parallel-size", int64_t{spec.pipeline_parallel});
  list.AddAll(stage.flags);
}

void AddCheckpoint(const CheckpointConfig& checkpoint, const StagePlan& stage,
                   ArgumentList& list) {
  if (!checkpoint.save_dir.empty()) {
    list.Add("--save", checkpoint.save_dir);
    if (checkpoint.save_every > 0) {
      list.Add("--save-interval", checkpoint.save_every);
    }
  }
  if (!checkpoint.load_dir.empty()) {
    list.Add("--load", checkpoint.load_dir);
    // Else it begins anew without a word and ends with exit 0.
    list.Add("--exit-on-missing-checkpoint");
  }
  const bool used =
      !checkpoint.save_dir.empty() || !checkpoint.load_dir.empty();
  if (used || !stage.checkpoint_format.empty()) {
    list.Add("--ckpt-format", stage.checkpoint_format.empty()
                                  ? std::string("torch_dist")
                                  : stage.checkpoint_format);
  }
}

}  // namespace

int64_t PaddedVocabulary(int64_t vocab, int tensor_parallel) {
  const int64_t multiple = kVocabularyDivisor * tensor_parallel;
  return (vocab + multiple - 1) / multiple * multiple;
}

int64_t NullTokenizerVocabulary(int64_t vocab, const MegatronVersion& version) {
  constexpr int kOwnEndSince = 18;
  const bool adds_one = version.major == 0 && version.minor < kOwnEndSince;
  return adds_one ? vocab - 1 : vocab;
}

std::vector<std::string> MegatronArguments(const Experiment& experiment,
                                           const MegatronVersion& version,
                                           const StagePlan& stage,
                                           const CheckpointConfig& checkpoint) {
  ArgumentList list;
  if (experiment.model.layers > 0) {
    AddModel(experiment.model, list);
    AddTokenizer(experiment, version, list);
  }
  AddData(experiment.data, list);
  AddTraining(experiment.train, list);
  AddParallelism(*experiment.megatron, stage, list);
  AddCheckpoint(checkpoint, stage, list);
  list.Add("--log-interval", int64_t{1});
  list.Add("--log-throughput");
  list.AddAll(experiment.megatron->args);
  return list.Take();
}

}  // namespace zs
