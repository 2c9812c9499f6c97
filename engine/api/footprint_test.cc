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
