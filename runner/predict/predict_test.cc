#include "runner/predict/predict.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "base/files.h"
#include "base/json.h"
#include "base/status_matchers.h"
#include "engine/api/event.h"
#include "engine/api/layout.h"
#include "gtest/gtest.h"
#include "runner/predict/fit.h"
#include "runner/predict/least_squares.h"
#include "runner/predict/profile.h"
#include "runner/predict/work.h"

namespace zs {
namespace {

ModelConfig Tiny() {
  ModelConfig m;
  m.name = "tiny";
  m.layers = 2;
  m.hidden = m.ffn = 4;
  m.heads = m.kv_heads = 1;
  m.head_size = 4;
  m.vocab = 10;
  m.max_seq_len = 8;
  m.norm = "rmsnorm";
  m.position = "rope";
  m.activation = "gelu";
  return m;
}

RunConfig TinyConfig() {
  RunConfig config;
  config.device = "cpu";
  config.threads_per_rank = 1;
  config.model = Tiny();
  config.train.micro_batch = 1;
  config.train.global_batch = 4;
  config.train.seq_len = 8;
  return config;
}

TEST(WorkTest, CountsProductsAsByHand) {
  // 8 tokens; a layer has 4x12 + 4x4 + 4x4 + 4x4 = 96 weights, the head 40.
  const StepWork work = WorkOf(TinyConfig(), 1);
  EXPECT_EQ(work.micro_batches, 4);
  EXPECT_EQ(work.forward.gemm_flops, 2 * 8 * (2 * 96 + 40));
  EXPECT_EQ(work.backward.gemm_flops, 2 * work.forward.gemm_flops);
  // Half of 2 products x 2 operations x 8 x 8 x 4, in two layers.
  EXPECT_EQ(work.forward.attention_flops, 2 * 2 * 8 * 8 * 4 / 1);
  EXPECT_TRUE(work.reduce.empty());
}

TEST(WorkTest, TrafficIsThatOfTheTheory) {
  for (const int stage : {0, 1, 2}) {
    for (const bool deterministic : {true, false}) {
      RunConfig config = TinyConfig();
      config.train.zero_stage = stage;
      config.train.deterministic = deterministic;
      const StepWork work = WorkOf(config, 2);
      std::map<std::string, double> sent;
      for (const auto* part : {&work.reduce, &work.gather}) {
        for (const CommWork& comm : *part) {
          sent[comm.op] += comm.bytes;
        }
      }
      for (const CommUse& use : CommTheory(config, 2)) {
        EXPECT_NEAR(sent[use.op], static_cast<double>(use.bytes), 1)
            << use.op << " of stage " << stage;
      }
    }
  }
}

MachineProfile Round() {
  MachineProfile p;
  p.name = "round";
  p.device = "cpu";
  p.cores = 2;
  p.gemm = {{4, 1e-6}, {64, 2e-6}};  // 1 and 2 MFLOP/s
  p.attention_forward_tflops = p.attention_backward_tflops = 1e-6;
  p.memory_gb_s = p.optimizer_gb_s = 1e-3;
  p.node = p.network = {.latency_us = 1000, .gb_s = 1e-3};
  return p;
}

TEST(PredictTest, AStepIsTheSumOfItsParts) {
  RunConfig config = TinyConfig();
  const StepPrediction p = PredictStep(config, {}, Round());
  EXPECT_NEAR(
      p.step_ms,
      p.forward_ms + p.backward_ms + p.optimizer_ms + p.exposed_ms + p.other_ms,
      1e-9);
  EXPECT_GT(p.forward_ms, 4 * 1e3 * 3712 / 1e6);  // the products alone
  EXPECT_EQ(p.exposed_ms, 0);
  EXPECT_DOUBLE_EQ(p.lo_ms, p.step_ms);
}

TEST(PredictTest, WithoutOverlapAllCommunicationIsExposed) {
  RunConfig config = TinyConfig();
  config.train.overlap = false;
  const StepPrediction p =
      PredictStep(config, {.nodes = 1, .ranks_per_node = 2}, Round());
  EXPECT_DOUBLE_EQ(p.exposed_ms, p.communication_ms);
  config.train.overlap = true;
  EXPECT_LT(PredictStep(config, {.nodes = 1, .ranks_per_node = 2}, Round())
                .exposed_ms,
            p.exposed_ms);
}

TEST(PredictTest, MoreRanksThanCoresShareThem) {
  RunConfig config = TinyConfig();
  const double two =
      PredictStep(config, {.nodes = 1, .ranks_per_node = 2}, Round())
          .forward_ms;
  const double four =
      PredictStep(config, {.nodes = 1, .ranks_per_node = 4}, Round())
          .forward_ms;
  // Half the micro-batches at half the speed.
  EXPECT_NEAR(two, four, 1e-9);
}

// Four ranks on two cores: one more each. A deterministic step of z0 has an
// all-reduce of each unit after each of the rank's micro-batches.
TEST(PredictTest, RanksThatShareCoresWaitForTheirTurns) {
  const Placement four = {.nodes = 1, .ranks_per_node = 4};
  MachineProfile profile = Round();
  const StepPrediction unknown = PredictStep(TinyConfig(), four, profile);
  EXPECT_EQ(unknown.note, "4 ranks share 2 cores");
  EXPECT_LT(unknown.lo_ms, 0.75 * unknown.step_ms);
  profile.turn_ms = 5;
  const StepPrediction known = PredictStep(TinyConfig(), four, profile);
  int64_t calls = 0;
  for (const CommWork& comm : WorkOf(TinyConfig(), 4).reduce) {
    calls += comm.calls;
  }
  EXPECT_GT(calls, 0);
  EXPECT_NEAR(known.step_ms - unknown.step_ms, 5.0 * static_cast<double>(calls),
              1e-9);
  EXPECT_EQ(PredictStep(TinyConfig(), {1, 2}, profile).note, "");
}

TEST(PredictTest, ABatchThatDoesNotDivideIsSaid) {
  const StepPrediction p =
      PredictStep(TinyConfig(), {.nodes = 1, .ranks_per_node = 3}, Round());
  EXPECT_EQ(p.step_ms, 0);
  EXPECT_NE(p.why.find("does not divide"), std::string::npos);
}

TEST(ProfileTest, RatesBetweenWidthsAreInterpolated) {
  EXPECT_DOUBLE_EQ(GemmFlops(Round(), 1), 1e6);
  EXPECT_DOUBLE_EQ(GemmFlops(Round(), 16), 1.5e6);
  EXPECT_DOUBLE_EQ(GemmFlops(Round(), 9999), 2e6);
}

TEST(ProfileTest, GoesThroughJson) {
  MachineProfile profile = Round();
  profile.source = "made up";
  profile.turn_ms = 2.5;
  const auto back = ProfileFromJson(ToJson(profile), "x");
  ASSERT_OK(back);
  EXPECT_EQ(ToJson(*back), ToJson(profile));
}

TEST(ProfileTest, FaultsNameTheField) {
  Json json = ToJson(Round());
  json["memory_gb_s"] = 0;
  EXPECT_EQ(ProfileFromJson(json, "p.json").status().message(),
            "p.json: memory_gb_s: 0 is not allowed; allowed: above 0");
  json.erase("memory_gb_s");
  json["memory_gbs"] = 1;
  EXPECT_EQ(ProfileFromJson(json, "p.json").status().message(),
            "p.json: 'memory_gbs' is no field of a profile");
  EXPECT_FALSE(ProfileFromJson(Json::array(), "p.json").ok());
}

TEST(LeastSquaresTest, FindsWhatMadeTheData) {
  const auto x = NonNegativeLeastSquares({{1, 2}, {3, 4}, {5, 7}}, {8, 18, 31});
  EXPECT_NEAR(x[0], 2, 1e-9);
  EXPECT_NEAR(x[1], 3, 1e-9);
}

TEST(LeastSquaresTest, WhatWouldBeNegativeIsZero) {
  // Free: x = (2, -1). Bound at zero the first alone is left.
  const auto x = NonNegativeLeastSquares({{1, 1}, {1, 0}}, {1, 2});
  EXPECT_EQ(x[1], 0);
  EXPECT_GT(x[0], 0);
}

// Runs as PROFILE predicts them.
std::vector<Observed> RunsOf(const MachineProfile& profile) {
  std::vector<Observed> runs;
  const auto add = [&](int64_t hidden, int64_t seq, int ranks, bool overlap) {
    Observed run;
    run.config = TinyConfig();
    run.config.model.hidden = run.config.model.ffn = hidden;
    run.config.model.head_size = hidden;
    run.config.train.seq_len = seq;
    run.config.train.overlap = overlap;
    run.placement = {1, ranks};
    const StepPrediction p = PredictStep(run.config, run.placement, profile);
    run.step_ms = p.step_ms;
    run.forward_ms = p.forward_ms;
    run.backward_ms = p.backward_ms;
    run.optimizer_ms = p.optimizer_ms;
    run.exposed_ms = p.exposed_ms;
    runs.push_back(run);
  };
  add(4, 8, 1, true);
  add(4, 64, 1, true);
  add(64, 8, 1, true);
  add(64, 64, 1, true);
  add(4, 8, 2, false);
  add(64, 8, 2, false);
  add(64, 8, 2, true);
  add(4, 8, 4, true);
  return runs;
}

TEST(FitTest, FindsTheProfileThatMadeTheRuns) {
  MachineProfile truth = Round();
  truth.interference = 0.5;
  truth.turn_ms = 30;
  const auto fitted =
      FitProfile(RunsOf(truth), {.name = "fit", .cores = truth.cores});
  ASSERT_OK(fitted);
  ASSERT_EQ(fitted->gemm.size(), 2u);
  EXPECT_NEAR(fitted->gemm[0].tflops, 1e-6, 1e-9);
  EXPECT_NEAR(fitted->gemm[1].tflops, 2e-6, 1e-9);
  EXPECT_NEAR(fitted->memory_gb_s, 1e-3, 1e-6);
  EXPECT_NEAR(fitted->node.latency_us, 1000, 1);
  EXPECT_NEAR(fitted->interference, 0.5, 0.01);
  ASSERT_TRUE(fitted->turn_ms.has_value());
  EXPECT_NEAR(*fitted->turn_ms, 30, 0.5);
  EXPECT_LT(fitted->error_pct, 0.1);
}

TEST(FitTest, SaysWhatIsMissing) {
  auto runs = RunsOf(Round());
  runs.resize(4);
  EXPECT_NE(FitProfile(runs, {}).status().message().find("overlap: false"),
            std::string::npos);
  EXPECT_FALSE(FitProfile({}, {}).ok());
}

// Runs on two GPUs of which the profile has seen one (micro-batch 4, z0): the
// engine's own lines.
TEST(H200Test, PredictsRunsThatItWasNotMadeFromWithinTenPercent) {
  const auto profile = ReadProfile("experiments/profiles/h200.json");
  ASSERT_OK(profile);
  const auto lines = ReadFile("docs/benchmarks/2026-11-30-h200-2/engine.jsonl");
  ASSERT_OK(lines);
  std::istringstream in(*lines);
  Json run;
  std::vector<double> times;
  int compared = 0;
  for (std::string line; std::getline(in, line);) {
    const Json json = *ParseJson(line);
    if (json.contains("run")) {
      run = json;
      times.clear();
    } else if (json["event"] == "step" && json["step"].get<int>() > 4) {
      times.push_back(json["step_ms"].get<double>());
    } else if (json["event"] == "end") {
      const auto config = RunConfigFromJson(run["config"]);
      ASSERT_OK(config);
      const std::string name = run["run"].get<std::string>();
      const int ranks = name.find(" x2 ") != std::string::npos ? 2 : 1;
      std::nth_element(times.begin(), times.begin() + times.size() / 2,
                       times.end());
      const StepPrediction p = PredictStep(*config, {1, ranks}, *profile);
      EXPECT_NEAR(p.step_ms / times[times.size() / 2], 1, 0.1)
          << name << ": " << p.step_ms << " ms predicted";
      ++compared;
    }
  }
  EXPECT_EQ(compared, 9);
}

}  // namespace
}  // namespace zs
