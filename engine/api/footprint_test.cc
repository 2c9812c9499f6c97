#include "engine/api/footprint.h"

#include "engine/api/activations.h"
#include "engine/api/layout.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

// Two layers of GPT-2's kind with round numbers.
RunConfig SmallConfig() {
  RunConfig config;
  config.device = "cpu";
  config.model = {.name = "small",
                  .layers = 2,
                  .hidden = 64,
                  .heads = 4,
                  .kv_heads = 4,
                  .head_size = 16,
                  .ffn = 256,
                  .vocab = 256,
                  .max_seq_len = 128,
                  .norm = "layernorm",
                  .position = "learned",
                  .activation = "gelu",
                  .bias = true};
  config.train.micro_batch = 2;
  config.train.global_batch = 16;
  config.train.seq_len = 32;
  config.threads_per_rank = 2;
  return config;
}

// Embedding: 256 x 64 + 128 x 64. A layer: 4 x 64 of norms, 192 x 64 + 192,
// 64 x 64 + 64, 256 x 64 + 256, 64 x 256 + 64. Head: 2 x 64.
constexpr int64_t kEmbedding = 24576;
constexpr int64_t kLayer = 256 + 12480 + 4160 + 16640 + 16448;
constexpr int64_t kHead = 128;

TEST(PredictMemoryTest, OneRankHoldsEverythingAndCommunicatesNothing) {
  for (int stage : {0, 1, 2}) {
    RunConfig config = SmallConfig();
    config.train.zero_stage = stage;
    const MemoryBytes memory = PredictMemory(config, 1);
    const int64_t all = 4 * (kEmbedding + 2 * kLayer + kHead);
    EXPECT_EQ(memory.parameters, all);
    EXPECT_EQ(memory.gradients, all);
    EXPECT_EQ(memory.optimizer, 2 * all);
    EXPECT_EQ(memory.communication, 0);
  }
}

TEST(PredictMemoryTest, StagesShardOptimizerThenGradients) {
  RunConfig config = SmallConfig();
  const int64_t all =
      4 * (kEmbedding + 2 * kLayer + kHead);  // needs no padding
  for (int stage : {0, 1, 2}) {
    config.train.zero_stage = stage;
    const MemoryBytes memory = PredictMemory(config, 2);
    EXPECT_EQ(memory.parameters, all);
    EXPECT_EQ(memory.optimizer, stage == 0 ? 2 * all : 2 * all / 2);
    EXPECT_EQ(memory.gradients, stage == 2 ? all / 2 : all);
  }
}

TEST(PredictMemoryTest, PadsUnitsToShards) {
  RunConfig config = SmallConfig();
  const MemoryBytes memory = PredictMemory(config, 7);
  EXPECT_EQ(memory.parameters,
            4 * (PaddedSize(kEmbedding, 7) + 2 * PaddedSize(kLayer, 7) +
                 PaddedSize(kHead, 7)));
}

TEST(PredictMemoryTest, CountsUnitsInFlightWhereTheyAreNeeded) {
  RunConfig config = SmallConfig();
  const int64_t staging = 3 * 262144;  // one peer
  const int64_t flight = 4 * (kEmbedding + kHead + 2 * kLayer);
  config.train.zero_stage = 1;
  EXPECT_EQ(PredictMemory(config, 2).communication, staging + flight);
  config.train.deterministic = false;
  EXPECT_EQ(PredictMemory(config, 2).communication, staging);
  config.train.zero_stage = 2;
  EXPECT_EQ(PredictMemory(config, 2).communication, staging + flight);
}

TEST(PredictMemoryTest, AddsUpActivationsByHand) {
  const MemoryBytes memory = PredictMemory(SmallConfig(), 1);
  const int64_t n = 64;
  // A layer: two norm outputs, the middle and attention's output at 64 columns,
  // qkv 192, up and activated 256 each; fp32 stats.
  const int64_t layer = n * (4 * 64 + 192 + 2 * 256) + n * (2 + 2 + 4);
  // Three residual streams; final norm, two gradients; 2n token ids, n losses.
  const int64_t pass = n * 64 * 6 + n * 2 + n * 256 * 2 + 3 * n;
  EXPECT_EQ(memory.activations, 4 * (2 * layer + pass));
  EXPECT_EQ(memory.logits, 4 * n * 256);
  // Scores of 64 queries for two threads, twice.
  EXPECT_EQ(memory.workspace, 4 * 2 * 64 * 32 * 2);
  EXPECT_EQ(memory.total, memory.parameters + memory.gradients +
                              memory.optimizer + memory.activations +
                              memory.logits + memory.workspace);
}

TEST(PredictMemoryTest, RecomputeTradesActivations) {
  RunConfig config = SmallConfig();
  const int64_t none = PredictMemory(config, 1).activations;
  config.train.recompute = "cheap";
  const int64_t cheap = PredictMemory(config, 1).activations;
  config.train.recompute = "full";
  const int64_t full = PredictMemory(config, 1).activations;
  // Two norm outputs and the MLP's activation; then all of a layer.
  EXPECT_EQ(none - cheap, 4 * 64 * (2 * 64 + 256));
  EXPECT_EQ(none - full, 4 * 64 * (4 * 64 + 192 + 2 * 256 + 2 + 2 + 4));
}

// Measured on H200s (docs/benchmarks, 2026-11-30): MiB in use less those of the
// logits, whose chunks were smaller then.
struct OnGpu {
  const char* what;
  bool qwen;
  int64_t micro_batch;
  int accumulation;
  int stage;
  int ranks;
  int64_t total_mib;
  int64_t workspace_mib;
};

constexpr OnGpu kOnGpu[] = {
    {"qwen3 4x4 z0", true, 4, 4, 0, 2, 65001 - 1187, 321},
    {"qwen3 4x4 z1", true, 4, 4, 1, 2, 58437 - 1187, 321},
    {"qwen3 4x4 z2", true, 4, 4, 2, 2, 57325 - 1187, 321},
    {"qwen3 2x4 z2", true, 2, 4, 2, 2, 41061 - 1187, 193},
    {"qwen3 2x4 z0", true, 2, 4, 0, 2, 48737 - 1187, 193},
    {"qwen3 4x4 alone", true, 4, 4, 0, 1, 64143 - 1187, 321},
    {"gpt2 64x1", false, 64, 1, 0, 2, 24767 - 1277, 259},
    {"gpt2 32x1", false, 32, 1, 0, 2, 14635 - 1056, 162},
};

RunConfig GpuConfig(const OnGpu& run) {
  RunConfig config;
  config.device = "cuda";
  config.model = {.layers = run.qwen ? 28 : 12,
                  .hidden = run.qwen ? 2048 : 768,
                  .heads = run.qwen ? 16 : 12,
                  .kv_heads = run.qwen ? 8 : 12,
                  .head_size = run.qwen ? 128 : 64,
                  .ffn = run.qwen ? 6144 : 3072,
                  .vocab = run.qwen ? 151936 : 50257,
                  .max_seq_len = run.qwen ? 40960 : 1024,
                  .norm = run.qwen ? "rmsnorm" : "layernorm",
                  .position = run.qwen ? "rope" : "learned",
                  .activation = run.qwen ? "swiglu" : "gelu",
                  .qk_norm = run.qwen,
                  .bias = !run.qwen};
  config.train.micro_batch = run.micro_batch;
  config.train.global_batch = run.micro_batch * run.accumulation * run.ranks;
  config.train.seq_len = run.qwen ? 4096 : 1024;
  config.train.zero_stage = run.stage;
  config.train.dtype = "bf16";
  config.train.deterministic = false;
  return config;
}

TEST(PredictMemoryTest, IsWithinOnePercentOfWhatGpusHeld) {
  for (const OnGpu& run : kOnGpu) {
    const MemoryBytes memory = PredictMemory(GpuConfig(run), run.ranks);
    const auto mib = static_cast<double>(int64_t{1} << 20);
    const double predicted =
        static_cast<double>(memory.total - memory.logits) / mib;
    const auto total = static_cast<double>(run.total_mib);
    EXPECT_NEAR(predicted, total, 0.01 * total) << run.what;
    EXPECT_NEAR(static_cast<double>(memory.workspace) / mib,
                static_cast<double>(run.workspace_mib), 1.0)
        << run.what;
  }
}

// Measured on H200s with cuDNN 9.19: what attention's deterministic backward
// takes beside the 64 MiB of matrix products.
TEST(PredictMemoryTest, DeterministicAttentionKeepsAllScores) {
  const auto attention = [](const RunConfig& config) {
    return PredictMemory(config, 1).workspace - (int64_t{64} << 20);
  };
  RunConfig config = GpuConfig(kOnGpu[5]);  // Qwen3-1.7B, 4 sequences of 4096
  EXPECT_NEAR(attention(config), 0.269e9, 0.001e9);
  config.train.deterministic = true;
  EXPECT_NEAR(attention(config), 2.28e9, 0.01e9);
  config = GpuConfig(kOnGpu[7]);  // GPT-2 124M, 32 sequences of 1024
  EXPECT_NEAR(attention(config), 0.102e9, 0.001e9);
  config.train.deterministic = true;
  EXPECT_NEAR(attention(config), 0.81e9, 0.01e9);
  // docs/benchmarks/2026-11-30-h200-4/one_gpu.jsonl, "smoke"; rows of 256
  // bytes.
  config.model.heads = 4;
  config.model.kv_heads = 4;
  config.train.micro_batch = 4;
  config.train.seq_len = 128;
  EXPECT_NEAR(PredictMemory(config, 1).workspace, 67641600, 512);
}

TEST(LogitsChunkTest, KeepsToItsBytesAndCoversAllTokens) {
  EXPECT_EQ(LogitsChunk(256, 1024), 1024);
  for (int64_t vocab : {50257, 151936}) {
    for (int64_t tokens : {1, 31, 32, 33, 1000, 1024, 65536}) {
      const int64_t chunk = LogitsChunk(vocab, tokens);
      EXPECT_GE(chunk, std::min<int64_t>(tokens, 32));
      EXPECT_LE(chunk, tokens);
      EXPECT_LE(chunk * vocab * 4, (int64_t{64} << 20) + 32 * vocab * 4);
    }
  }
}

}  // namespace
}  // namespace zs
