// What an engine process is asked to do, as plain data: the configuration file
// that the runner writes and every rank reads. Rank and world size are not in
// it; they come from torchrun's environment (RANK, LOCAL_RANK, WORLD_SIZE,
// LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT).
#ifndef ENGINE_API_RUN_CONFIG_H_
#define ENGINE_API_RUN_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace zs {

// A decoder-only transformer. Names follow Hugging Face's config.json where
// Megatron-LM has a longer one.
struct ModelConfig {
  std::string name;           // for people: "qwen3_1p7b"
  int64_t layers = 0;         // number of transformer layers
  int64_t hidden = 0;         // width of the residual stream
  int64_t heads = 0;          // query heads
  int64_t kv_heads = 0;       // key/value heads; divides heads
  int64_t head_size = 0;      // elements of one head; heads x head_size may
                              // differ from hidden
  int64_t ffn = 0;            // width of the feed-forward layer
  int64_t vocab = 0;          // rows of the embedding
  int64_t max_seq_len = 0;    // positions: rows of a learned embedding
  std::string norm;           // "layernorm" | "rmsnorm"
  double norm_eps = 1e-5;     // added to the variance
  std::string position;       // "learned" | "rope"
  double rope_theta = 10000;  // base of the rotary frequencies
  std::string activation;     // "gelu" (tanh form, as in GPT-2) | "swiglu"
  bool qk_norm = false;       // RMSNorm over each head of q and k, before RoPE
  bool tied_embeddings = true;  // the LM head is the embedding
  bool bias = false;            // biases of linear layers
  double init_std = 0.02;       // standard deviation of initial weights
};

// Where the training tokens come from.
struct DataConfig {
  std::string kind;                // "text" (bytes as tokens 0..255) |
                                   // "megatron" (.bin/.idx prefixes) | "random"
  std::vector<std::string> paths;  // files (text) or prefixes (megatron)
};

struct TrainConfig {
  int zero_stage = 0;        // 0 all-reduces gradients, 1 shards the
                             // optimizer state, 2 the gradients too
  int64_t micro_batch = 1;   // sequences a rank processes at once
  int64_t global_batch = 1;  // sequences of one optimizer step
  int64_t seq_len = 0;       // tokens of a sequence
  int64_t steps = 110;  // optimizer steps in all: 100 to measure by default
  int64_t warmup_steps = 0;  // first steps, left out of statistics (the
                             // engine trains them like the others)
  uint64_t seed = 1;         // of initial weights and sample order
  double lr = 3e-4;          // peak learning rate
  double min_lr = 0;         // floor of the cosine
  std::string lr_schedule = "constant";  // "constant" | "cosine"
  int64_t lr_warmup_steps = 0;           // linear rise from 0
  double weight_decay = 0.1;       // decoupled (AdamW); matrices alone decay
  double beta1 = 0.9;              // AdamW
  double beta2 = 0.95;             // AdamW
  double adam_eps = 1e-8;          // AdamW
  double clip_grad = 1.0;          // global L2 norm; 0 turns clipping off
  std::string dtype = "fp32";      // "fp32" | "bf16" (activations and weights)
  bool overlap = true;             // communication under the backward pass
  bool deterministic = true;       // every stage reduces after each micro-batch
                                   // and sums in rank order, so that all stages
                                   // give the same bits at any accumulation;
                                   // false: stages 0 and 1 reduce once a step
  std::string recompute = "none";  // "none" | "cheap" | "full"
};

struct CheckpointConfig {
  std::string save_dir;      // empty: nothing is saved
  bool save_at_end = false;  // after the last step
  int64_t save_every = 0;    // steps between two saves; 0 never
  std::string load_dir;      // a checkpoint folder to go on from; empty: none
};

// One run of the engine. All ranks read the same text.
struct RunConfig {
  std::string experiment;  // for messages: "z1"
  std::string device;      // "cpu" | "cuda"
  ModelConfig model;
  DataConfig data;
  TrainConfig train;
  CheckpointConfig checkpoint;
  int threads_per_rank = 0;           // 0: cores / LOCAL_WORLD_SIZE, at least 1
  double collective_timeout_s = 120;  // a peer silent for longer is an error
};

// The configuration as JSON, {"schema": 1, ...}; field names are those above.
Json ToJson(const RunConfig& config);
Json ToJson(const ModelConfig& model);
Json ToJson(const DataConfig& data);
Json ToJson(const TrainConfig& train);

// The inverse. kInvalidArgument names the field that is missing, unknown, of
// another type or out of range ("train.zero_stage: 3 is not allowed; allowed:
// 0, 1, 2"). A field with a default above may be left out.
Result<RunConfig> RunConfigFromJson(const Json& json);

// Whether the parts fit together, whatever the world size: kv_heads divides
// heads, seq_len within max_seq_len, micro_batch divides global_batch, ...
// Returns one message per fault, each beginning with the path of a field.
std::vector<std::string> Faults(const RunConfig& config);

}  // namespace zs

#endif  // ENGINE_API_RUN_CONFIG_H_
