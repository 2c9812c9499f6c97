#include "engine/api/run_config.h"

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

RunConfig Sample() {
  RunConfig c;
  c.experiment = "z1";
  c.device = "cpu";
  c.model = {.name = "tiny",
             .layers = 2,
             .hidden = 16,
             .heads = 4,
             .kv_heads = 2,
             .head_size = 4,
             .ffn = 32,
             .vocab = 256,
             .max_seq_len = 64,
             .norm = "rmsnorm",
             .position = "rope",
             .activation = "swiglu"};
  c.data = {.kind = "random"};
  c.train.zero_stage = 1;
  c.train.micro_batch = 2;
  c.train.global_batch = 8;
  c.train.seq_len = 32;
  c.train.steps = 10;
  return c;
}

TEST(RunConfigTest, ComesBackAsItWas) {
  const Json json = ToJson(Sample());
  const auto config = RunConfigFromJson(json);
  ASSERT_OK(config);
  EXPECT_EQ(DumpJson(ToJson(*config)), DumpJson(json));
  EXPECT_EQ(config->train.zero_stage, 1);
  EXPECT_EQ(config->model.kv_heads, 2);
  EXPECT_TRUE(Faults(*config).empty());
}

TEST(RunConfigTest, DefaultsFillWhatIsLeftOut) {
  Json json = ToJson(Sample());
  json["train"].erase("beta2");
  json.erase("checkpoint");
  const auto config = RunConfigFromJson(json);
  ASSERT_OK(config);
  EXPECT_EQ(config->train.beta2, 0.95);
}

TEST(RunConfigTest, AllFaultsAreNamedAtOnce) {
  Json json = ToJson(Sample());
  json["train"]["zero_stage"] = 3;
  json["train"]["steps"] = "ten";
  json["train"]["zerostage"] = 1;
  json["model"].erase("layers");
  json["model"]["norm"] = "batchnorm";
  json["train"]["seed"] = 1e300;
  const auto config = RunConfigFromJson(json);
  for (const char* part :
       {"train.zero_stage: 3 is not allowed; allowed: 0 to 2",
        "train.steps: \"ten\" is not allowed; allowed: an integer",
        "train.zerostage: unknown field", "model.layers: missing",
        "model.norm: \"batchnorm\" is not allowed; allowed: \"layernorm\", "
        "\"rmsnorm\"",
        "train.seed: 1e+300"}) {
    EXPECT_STATUS(config, StatusCode::kInvalidArgument, part);
  }
}

// beta 1: 1 - beta^t is 0; eps 0: 0 / (sqrt(0) + 0). Both are NaN parameters.
TEST(RunConfigTest, RefusesOptimizersThatDivideByZero) {
  for (const char* field : {"beta1", "beta2"}) {
    Json json = ToJson(Sample());
    json["train"][field] = 1;
    EXPECT_STATUS(RunConfigFromJson(json), StatusCode::kInvalidArgument,
                  std::string("train.") + field + ": 1 is not allowed");
    json["train"][field] = 0;
    EXPECT_OK(RunConfigFromJson(json));
  }
  for (const double eps : {0.0, 1e-50}) {  // the second is 0 in fp32
    Json json = ToJson(Sample());
    json["train"]["adam_eps"] = eps;
    EXPECT_STATUS(RunConfigFromJson(json), StatusCode::kInvalidArgument,
                  "train.adam_eps");
  }
}

TEST(RunConfigTest, RefusesAnotherSchemaAndWhatIsNoObject) {
  Json json = ToJson(Sample());
  json["schema"] = 2;
  EXPECT_STATUS(RunConfigFromJson(json), StatusCode::kInvalidArgument,
                "schema: 2");
  EXPECT_FALSE(RunConfigFromJson(Json::array()).ok());
}

struct FaultCase {
  const char* what;
  void (*spoil)(RunConfig&);
  const char* message;
};

TEST(RunConfigTest, PartsThatDoNotFitAreNamed) {
  const FaultCase cases[] = {
      {"heads", [](RunConfig& c) { c.model.kv_heads = 3; },
       "model.kv_heads: 3 does not divide heads 4"},
      {"odd rope", [](RunConfig& c) { c.model.head_size = 5; },
       "model.head_size: 5 is odd"},
      {"long", [](RunConfig& c) { c.train.seq_len = 65; },
       "train.seq_len: 65 is beyond model.max_seq_len 64"},
      {"batch", [](RunConfig& c) { c.train.micro_batch = 3; },
       "train.micro_batch: 3 does not divide global_batch 8"},
      {"warm-up", [](RunConfig& c) { c.train.warmup_steps = 10; },
       "train.warmup_steps: 10 leaves none"},
      {"bf16", [](RunConfig& c) { c.train.dtype = "bf16"; }, "train.dtype"},
      {"no data", [](RunConfig& c) { c.data.kind = "text"; }, "data.paths"},
      {"nowhere to save", [](RunConfig& c) { c.checkpoint.save_at_end = true; },
       "checkpoint.save_dir"},
  };
  for (const FaultCase& test : cases) {
    RunConfig config = Sample();
    test.spoil(config);
    const auto faults = Faults(config);
    ASSERT_EQ(faults.size(), 1) << test.what;
    EXPECT_EQ(faults[0].find(test.message), 0) << faults[0];
  }
}

}  // namespace
}  // namespace zs
