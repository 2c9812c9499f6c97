#include "runner/predict/extrapolate.h"

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

Experiment Gpt() {
  Experiment e;
  e.name = "z1";
  e.backend = Backend::kEngine;
  e.device = "cuda";
  ModelConfig& m = e.model;
  m.layers = 12;
  m.hidden = 768;
  m.heads = m.kv_heads = 12;
  m.head_size = 64;
  m.ffn = 3072;
  m.vocab = 50257;
  m.max_seq_len = 1024;
  m.norm = "layernorm";
  m.position = "learned";
  m.activation = "gelu";
  e.train.zero_stage = 1;
  e.train.micro_batch = 8;
  e.train.global_batch = 64;
  e.train.seq_len = 1024;
  e.topology.nodes = {"localhost"};
  e.topology.ranks_per_node = 8;
  return e;
}

// Compute is fast beside the network.
MachineProfile SlowNetwork() {
  MachineProfile p;
  p.name = "slow";
  p.device = "cuda";
  p.gemm = {{768, 600}};
  p.attention_forward_tflops = p.attention_backward_tflops = 500;
  p.memory_gb_s = p.optimizer_gb_s = 4000;
  p.node = {.latency_us = 10, .gb_s = 300};
  p.network = {.latency_us = 20, .gb_s = 0.1};
  p.error_pct = 4;
  p.ranks_measured = 8;
  return p;
}

TEST(ExtrapolateTest, DoublesUpToTheSizeAndFindsTheKnee) {
  const Scaling scaling =
      Extrapolate(Gpt(), {.nodes = 12}, false, SlowNetwork());
  std::vector<int> nodes;
  for (const ScalingPoint& point : scaling.points) {
    nodes.push_back(point.placement.nodes);
    EXPECT_LT(point.step.lo_ms, point.step.step_ms);
    EXPECT_GT(point.step.hi_ms, point.step.step_ms);
  }
  EXPECT_EQ(nodes, (std::vector<int>{1, 2, 4, 8, 12}));
  EXPECT_EQ(scaling.points[0].efficiency_pct, 100);
  EXPECT_EQ(scaling.knee_nodes, 2);
  // The optimizer's state is sharded over more ranks.
  EXPECT_LT(scaling.points[4].memory_bytes, scaling.points[0].memory_bytes);
}

TEST(ExtrapolateTest, AFastNetworkHasNoKnee) {
  MachineProfile fast = SlowNetwork();
  fast.network = {.latency_us = 0, .gb_s = 1000};
  EXPECT_EQ(Extrapolate(Gpt(), {.nodes = 4}, false, fast).knee_nodes, 0);
}

TEST(ExtrapolateTest, TheIntervalGrowsBeyondWhatWasMeasured) {
  const Scaling scaling =
      Extrapolate(Gpt(), {.nodes = 64}, false, SlowNetwork());
  const auto width = [](const StepPrediction& p) {
    return (p.hi_ms - p.lo_ms) / p.step_ms;
  };
  EXPECT_GT(width(scaling.points.back().step),
            2 * width(scaling.points.front().step));
}

TEST(ExtrapolateTest, AFixedBatchThatDoesNotDivideIsSaid) {
  const Scaling scaling =
      Extrapolate(Gpt(), {.nodes = 16}, true, SlowNetwork());
  EXPECT_FALSE(scaling.points.back().step.why.empty());
}

TEST(ParseTopologyTest, ReadsAndRefuses) {
  const auto size = ParseTopology("nodes=128,ranks_per_node=8");
  ASSERT_OK(size);
  EXPECT_EQ(size->nodes, 128);
  EXPECT_EQ(size->ranks_per_node, 8);
  for (const char* bad : {"", "128", "nodes=", "nodes=0", "nodes=1,x=2",
                          "nodes=1x", "ranks_per_node=8", "nodes=999999999"}) {
    EXPECT_FALSE(ParseTopology(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace zs
