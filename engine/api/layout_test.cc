#include "engine/api/layout.h"

#include <set>

#include "gtest/gtest.h"

namespace zs {
namespace {

// Published sizes: GPT-2 small has 124,439,808 parameters; Qwen3-1.7B has
// 1,720,574,976 (tied embedding counted once).
ModelConfig Gpt2() {
  return {.layers = 12,
          .hidden = 768,
          .heads = 12,
          .kv_heads = 12,
          .head_size = 64,
          .ffn = 3072,
          .vocab = 50257,
          .max_seq_len = 1024,
          .norm = "layernorm",
          .position = "learned",
          .activation = "gelu",
          .bias = true};
}

ModelConfig Qwen3() {
  return {.layers = 28,
          .hidden = 2048,
          .heads = 16,
          .kv_heads = 8,
          .head_size = 128,
          .ffn = 6144,
          .vocab = 151936,
          .max_seq_len = 40960,
          .norm = "rmsnorm",
          .position = "rope",
          .activation = "swiglu",
          .qk_norm = true};
}

TEST(LayoutTest, CountsWhatIsPublished) {
  EXPECT_EQ(ParameterCount(Gpt2()), 124439808);
  EXPECT_EQ(ParameterCount(Qwen3()), 1720574976);
}

TEST(LayoutTest, AnUntiedHeadCountsTwice) {
  ModelConfig untied = Qwen3();
  untied.tied_embeddings = false;
  EXPECT_EQ(ParameterCount(untied) - ParameterCount(Qwen3()),
            int64_t{151936} * 2048);
}

TEST(LayoutTest, UnitsHoldTheirParametersWithoutGaps) {
  for (const ModelConfig& model : {Gpt2(), Qwen3()}) {
    const auto units = Layout(model);
    ASSERT_EQ(units.size(), static_cast<size_t>(model.layers) + 2);
    std::set<std::string> names;
    int64_t total = 0;
    for (const Unit& unit : units) {
      int64_t offset = 0;
      for (const Parameter& p : unit.parameters) {
        EXPECT_EQ(p.offset, offset) << p.name;
        offset += p.size;
        EXPECT_TRUE(names.insert(p.name).second) << p.name;
      }
      EXPECT_EQ(unit.size, offset);
      total += unit.size;
    }
    EXPECT_EQ(total, ParameterCount(model));
  }
}

TEST(LayoutTest, MatricesDecayAndGainsDoNot) {
  for (const Unit& unit : Layout(Qwen3())) {
    for (const Parameter& p : unit.parameters) {
      EXPECT_EQ(p.decay, p.shape.size() == 2) << p.name;
    }
  }
}

TEST(LayoutTest, PaddingMakesEqualShards) {
  for (int world = 1; world <= 9; ++world) {
    for (int64_t size = 1; size <= 700; ++size) {
      const int64_t padded = PaddedSize(size, world);
      EXPECT_GE(padded, size);
      EXPECT_LT(padded - size, 32 * world);
      EXPECT_EQ(padded % world, 0);
      EXPECT_EQ(padded / world % 32, 0);
    }
  }
}

RunConfig Qwen3Run(int stage, int64_t global_batch, bool deterministic) {
  RunConfig c;
  c.model = Qwen3();
  c.train.zero_stage = stage;
  c.train.micro_batch = 16;
  c.train.global_batch = global_batch;
  c.train.deterministic = deterministic;
  return c;
}

int64_t TotalBytes(const RunConfig& config, int world_size) {
  int64_t bytes = 0;
  for (const CommUse& use : CommTheory(config, world_size)) {
    bytes += use.bytes;
  }
  return bytes;
}

// 31/32 x 4 bytes x 1,720,574,976 parameters is 6.667 GB; an all-reduce sends
// that twice. Padding adds less than a ten-thousandth.
TEST(LayoutTest, TrafficOfEachStageIsWhatTheRingNeeds) {
  const double once = 31.0 / 32 * 4 * 1720574976;
  const auto near = [](int64_t bytes, double want) {
    EXPECT_NEAR(static_cast<double>(bytes) / want, 1, 1e-4);
  };
  near(TotalBytes(Qwen3Run(0, 2048, false), 32), 2 * once);
  near(TotalBytes(Qwen3Run(1, 2048, false), 32), once + once);
  // Stage 2 reduces each of the four micro-batches.
  near(TotalBytes(Qwen3Run(2, 2048, false), 32), 4 * once + once);
  near(TotalBytes(Qwen3Run(0, 2048, true), 32), 4 * 2 * once);
  EXPECT_TRUE(CommTheory(Qwen3Run(0, 2048, false), 1).empty());
}

TEST(LayoutTest, AccumulationIsDerivedOrZero) {
  TrainConfig train;
  train.micro_batch = 16;
  train.global_batch = 2048;
  EXPECT_EQ(Accumulation(train, 8), 16);
  EXPECT_EQ(Accumulation(train, 32), 4);
  EXPECT_EQ(Accumulation(train, 24), 0);
}

}  // namespace
}  // namespace zs
