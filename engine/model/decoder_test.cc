#include "engine/model/decoder.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/status_matchers.h"
#include "engine/api/footprint.h"
#include "engine/model/flat_hooks.h"
#include "engine/model/initialize.h"
#include "engine/ops/cpu_ops.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

ModelConfig Gpt2() {
  return {.name = "gpt2",
          .layers = 3,
          .hidden = 48,
          .heads = 4,
          .kv_heads = 4,
          .head_size = 12,
          .ffn = 80,
          .vocab = 101,
          .max_seq_len = 70,
          .norm = "layernorm",
          .position = "learned",
          .activation = "gelu",
          .bias = true};
}

ModelConfig Qwen3() {
  return {.name = "qwen3",
          .layers = 2,
          .hidden = 40,
          .heads = 6,
          .kv_heads = 2,
          .head_size = 10,
          .ffn = 72,
          .vocab = 101,
          .max_seq_len = 70,
          .norm = "rmsnorm",
          .norm_eps = 1e-6,
          .position = "rope",
          .activation = "swiglu",
          .qk_norm = true};
}

ModelConfig Untied() {
  ModelConfig model = Qwen3();
  model.qk_norm = false;
  model.tied_embeddings = false;
  return model;
}

// A decoder with parameters and a batch of random tokens.
class Pass {
 public:
  explicit Pass(const ModelConfig& model, const std::string& recompute = "none",
                int threads = 2)
      : model_(model), ops_(MakeCpuOps(threads)), hooks(model) {
    options_ = {.micro_batch = 2, .seq_len = 67, .recompute = recompute};
    auto created = Decoder::Create(model, options_, *ops_);
    EXPECT_OK(created);
    decoder = *std::move(created);
    for (int unit = 0; unit < hooks.units(); ++unit) {
      InitializeUnit(model, unit, 5,
                     hooks.parameters.data() + hooks.offset(unit));
    }
    for (int64_t i = 0; i < 2 * 67; ++i) {
      tokens.push_back(static_cast<int32_t>(i * i % model.vocab));
      targets.push_back(static_cast<int32_t>((i * 7 + 3) % model.vocab));
    }
  }

  double Run(float scale = 1) {
    EXPECT_OK(decoder->Forward(tokens, targets, scale, hooks));
    const Result<double> loss = decoder->Loss();
    EXPECT_OK(loss);
    double sum = 0.25;
    decoder->AddLoss(&sum);
    EXPECT_EQ(sum, 0.25 + *loss);
    EXPECT_EQ(decoder->head_backward().empty(), scale == 0);
    if (scale != 0) {
      EXPECT_OK(decoder->Backward(hooks));
    }
    return *loss;
  }

  MemoryBytes Predicted(int threads) const {
    RunConfig config;
    config.model = model_;
    config.train.micro_batch = options_.micro_batch;
    config.train.seq_len = options_.seq_len;
    config.train.recompute = options_.recompute;
    config.threads_per_rank = threads;
    return PredictMemory(config, 1);
  }

 private:
  ModelConfig model_;
  DecoderOptions options_;
  std::unique_ptr<Ops> ops_;

 public:
  FlatHooks hooks;
  std::unique_ptr<Decoder> decoder;
  std::vector<int32_t> tokens, targets;
};

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class DecoderTest : public ::testing::TestWithParam<ModelConfig> {};

TEST_P(DecoderTest, FirstLossIsNearThatOfAGuess) {
  Pass pass(GetParam());
  EXPECT_NEAR(pass.Run(0), std::log(101.0), 0.1);
}

TEST_P(DecoderTest, RepeatsItselfToTheBit) {
  Pass pass(GetParam());
  const double loss = pass.Run();
  const std::vector<float> first = pass.hooks.gradients;
  std::fill(pass.hooks.gradients.begin(), pass.hooks.gradients.end(), 0.0f);
  EXPECT_EQ(pass.Run(), loss);
  EXPECT_TRUE(SameBits(pass.hooks.gradients, first));
}

TEST_P(DecoderTest, RecomputeChangesNoBit) {
  Pass none(GetParam());
  const double loss = none.Run();
  for (const char* recompute : {"cheap", "full"}) {
    Pass pass(GetParam(), recompute);
    EXPECT_EQ(pass.Run(), loss) << recompute;
    EXPECT_TRUE(SameBits(pass.hooks.gradients, none.hooks.gradients))
        << recompute;
  }
}

TEST_P(DecoderTest, AddsToGradientsAndScalesThem) {
  Pass pass(GetParam());
  pass.Run();
  const std::vector<float> once = pass.hooks.gradients;
  pass.Run(0.5f);
  double worst = 0, largest = 0;
  for (size_t i = 0; i < once.size(); ++i) {
    worst = std::max<double>(
        worst, std::abs(pass.hooks.gradients[i] - 1.5f * once[i]));
    largest = std::max<double>(largest, std::abs(once[i]));
  }
  EXPECT_LT(worst, 1e-5 * largest);
}

// A first micro-batch's gradients need no zeros to be added to.
TEST_P(DecoderTest, OverwritesGradientsToTheBit) {
  Pass added(GetParam());
  added.Run();
  Pass pass(GetParam());
  pass.hooks.add = false;
  std::fill(pass.hooks.gradients.begin(), pass.hooks.gradients.end(), NAN);
  pass.Run();
  EXPECT_TRUE(SameBits(pass.hooks.gradients, added.hooks.gradients));
}

// The directional derivative along the gradient itself, by central differences.
TEST_P(DecoderTest, GradientPredictsTheChangeOfTheLoss) {
  Pass pass(GetParam());
  pass.Run();
  double square = 0;
  for (float g : pass.hooks.gradients) {
    square += static_cast<double>(g) * g;
  }
  const std::vector<float> start = pass.hooks.parameters;
  const double step = 1e-2 / std::sqrt(square);
  double losses[2];
  for (int side : {0, 1}) {
    for (size_t i = 0; i < start.size(); ++i) {
      pass.hooks.parameters[i] =
          start[i] + static_cast<float>((side == 0 ? -step : step) *
                                        pass.hooks.gradients[i]);
    }
    losses[side] = pass.Run(0);
  }
  EXPECT_NEAR((losses[1] - losses[0]) / (2 * step), square, 2e-3 * square);
}

TEST_P(DecoderTest, HoldsThePredictedMemory) {
  for (const char* recompute : {"none", "cheap", "full"}) {
    for (int threads : {1, 3}) {
      Pass pass(GetParam(), recompute, threads);
      pass.Run();
      const MemoryBytes held = pass.decoder->memory();
      const MemoryBytes predicted = pass.Predicted(threads);
      EXPECT_EQ(held.activations, predicted.activations);
      EXPECT_EQ(held.logits, predicted.logits);
      EXPECT_EQ(held.workspace, predicted.workspace) << threads;
    }
  }
}

TEST_P(DecoderTest, RefusesTokensBeyondTheVocabulary) {
  Pass pass(GetParam());
  pass.tokens[3] = 101;
  EXPECT_STATUS(pass.decoder->Forward(pass.tokens, pass.targets, 1, pass.hooks),
                StatusCode::kOutOfRange, "tokens[3]: 101");
  pass.tokens[3] = 0;
  pass.targets[5] = -1;
  EXPECT_STATUS(pass.decoder->Forward(pass.tokens, pass.targets, 1, pass.hooks),
                StatusCode::kOutOfRange, "targets[5]: -1");
  pass.targets.pop_back();
  EXPECT_STATUS(pass.decoder->Forward(pass.tokens, pass.targets, 1, pass.hooks),
                StatusCode::kInvalidArgument, "a pass takes 134");
}

TEST_P(DecoderTest, RefusesBackwardWithoutForward) {
  Pass pass(GetParam());
  EXPECT_STATUS(pass.decoder->Backward(pass.hooks),
                StatusCode::kFailedPrecondition, "Forward");
  pass.Run(0);
  EXPECT_STATUS(pass.decoder->Backward(pass.hooks),
                StatusCode::kFailedPrecondition, "Forward");
}

INSTANTIATE_TEST_SUITE_P(Models, DecoderTest,
                         ::testing::Values(Gpt2(), Qwen3(), Untied()),
                         [](const auto& info) {
                           return info.index == 0   ? "gpt2"
                                  : info.index == 1 ? "qwen3"
                                                    : "untied";
                         });

// The calls that change gradients, in order.
std::vector<std::string> GradientCalls(const FlatHooks& hooks) {
  std::vector<std::string> calls;
  for (const std::string& call : hooks.calls) {
    if (call.rfind("parameters", 0) != 0) {
      calls.push_back(call);
    }
  }
  return calls;
}

TEST(DecoderHooksTest, TiedEmbeddingOpensAtTheHeadAndClosesLast) {
  Pass pass(Qwen3());
  pass.Run();
  EXPECT_EQ(GradientCalls(pass.hooks),
            (std::vector<std::string>{"open 0", "open 3", "done 3", "open 2",
                                      "done 2", "open 1", "done 1", "done 0"}));
}

TEST(DecoderHooksTest, UntiedHeadIsAUnitLikeOthers) {
  Pass pass(Untied());
  pass.Run();
  EXPECT_EQ(GradientCalls(pass.hooks),
            (std::vector<std::string>{"open 3", "done 3", "open 2", "done 2",
                                      "open 1", "done 1", "open 0", "done 0"}));
}

TEST(DecoderHooksTest, ForwardAloneTouchesNoGradient) {
  Pass pass(Gpt2());
  pass.Run(0);
  EXPECT_EQ(GradientCalls(pass.hooks), std::vector<std::string>{});
}

// An error of a hook ends the pass and is what the pass returns.
TEST(DecoderHooksTest, ReturnsAHooksError) {
  class Failing : public FlatHooks {
   public:
    using FlatHooks::FlatHooks;
    Status GradientsDone(int unit) override {
      return unit == 1 ? AbortedError("peer 1 is gone") : OkStatus();
    }
  };
  Pass pass(Gpt2());
  Failing hooks(Gpt2());
  ASSERT_OK(pass.decoder->Forward(pass.tokens, pass.targets, 1, hooks));
  EXPECT_STATUS(pass.decoder->Backward(hooks), StatusCode::kAborted,
                "peer 1 is gone");
}

TEST(DecoderCreateTest, SaysWhatDoesNotFit) {
  ModelConfig model = Gpt2();
  model.ffn = int64_t{1} << 45;
  const auto ops = MakeCpuOps(1);
  EXPECT_STATUS(
      Decoder::Create(model, {.micro_batch = 64, .seq_len = 64}, *ops),
      StatusCode::kResourceExhausted, "activations, after");
}

}  // namespace
}  // namespace zs
