#include "runner/plan/spec/validate.h"

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

constexpr char kSweep[] = R"({
  "schema": 1, "sweep": "s", "experiments": [ {
    "name": "z1", "backend": "engine",
    "model": {"layers": 2, "hidden": 64, "heads": 4, "kv_heads": 2,
              "head_size": 16, "ffn": 128, "vocab": 256, "max_seq_len": 64,
              "norm": "rmsnorm", "position": "rope", "activation": "swiglu"},
    "data": {"kind": "random"},
    "train": {"zero_stage": 1, "micro_batch": 2, "global_batch": 8,
              "seq_len": 32, "steps": 5, "warmup_steps": 1},
    "topology": {"nodes": ["localhost"], "ranks_per_node": 2},
    "env": {"NCCL_DEBUG": "INFO"},
    "expect": {"world_size": 2, "max_step_cv": 0.5}
  } ] })";

Json Document() {
  return *ParseJson(kSweep);
}

// The faults of DOCUMENT, a line each.
std::string FaultsOf(const Json& document) {
  std::vector<Fault> faults;
  ReadSweep(document, faults);
  return ToString(faults);
}

// The faults of the document with the value at PATH (a JSON pointer within the
// only experiment) replaced by VALUE, itself JSON.
std::string FaultsWith(const std::string& path, const std::string& value) {
  Json document = Document();
  document[Json::json_pointer("/experiments/0" + path)] = *ParseJson(value);
  return FaultsOf(document);
}

TEST(ValidateTest, ReadsEveryPart) {
  std::vector<Fault> faults;
  const Sweep sweep = ReadSweep(Document(), faults);
  EXPECT_EQ(ToString(faults), "");
  ASSERT_EQ(sweep.experiments.size(), 1u);
  const Experiment& z1 = sweep.experiments[0];
  EXPECT_EQ(z1.name, "z1");
  EXPECT_EQ(z1.train.zero_stage, 1);
  EXPECT_EQ(z1.train.global_batch, 8);
  EXPECT_EQ(z1.world_size(), 2);
  EXPECT_EQ(z1.env.at("NCCL_DEBUG"), "INFO");
  EXPECT_EQ(z1.expect.max_step_cv, 0.5);
  EXPECT_FALSE(z1.expect.max_final_loss.has_value());
  EXPECT_TRUE(z1.topology.reach.empty());
}

struct Case {
  const char* path;
  const char* value;
  const char* fault;  // what the message must contain
};

class FieldFaultTest : public ::testing::TestWithParam<Case> {};

TEST_P(FieldFaultTest, IsReportedWithItsPath) {
  const std::string faults = FaultsWith(GetParam().path, GetParam().value);
  EXPECT_NE(faults.find(GetParam().fault), std::string::npos) << faults;
  // One fault: nothing else is blamed for it.
  EXPECT_EQ(faults.find('\n'), std::string::npos) << faults;
}

INSTANTIATE_TEST_SUITE_P(
    Types, FieldFaultTest,
    ::testing::Values(
        Case{"/train/steps", "\"ten\"",
             "experiments[0] 'z1'.train.steps: \"ten\" is not allowed; "
             "allowed: an integer from 1 to"},
        Case{"/train/steps", "1.5", "train.steps: 1.5 is not allowed"},
        Case{"/train/steps", "null", "train.steps: null is not allowed"},
        Case{"/train/steps", "-1", "train.steps: -1 is not allowed"},
        Case{"/train/seed", "9007199254740994", "2^53"},
        Case{"/train/seed", "100000000000000000000", "2^53"},
        Case{"/train/lr", "true", "train.lr: true is not allowed"},
        Case{"/train/overlap", "1", "true or false"},
        Case{"/train/zero_stage", "3", "a value from 0 to 2"},
        Case{"/train", "[]", "'z1'.train: a list of 0 is not allowed"},
        Case{"/model/norm", "\"rmsnrom\"", "did you mean rmsnorm?"},
        Case{"/backend", "\"slurm\"",
             "\"engine\", \"megatron\", \"command\", \"collectives\""},
        Case{"/needs", "\"a\"", "needs: \"a\" is not allowed"},
        Case{"/repeats", "0", "a value from 1 to 1000"}));

INSTANTIATE_TEST_SUITE_P(
    Names, FieldFaultTest,
    ::testing::Values(
        Case{"/train/micro_bach", "1",
             "'z1'.train: unknown field \"micro_bach\" (its value: 1) (did "
             "you mean micro_batch?)"},
        Case{"/colour", "{}", "unknown field \"colour\""},
        Case{"/name", "\"../x\"", "name: \"../x\" is not allowed"},
        Case{"/name", "\"-x\"", "neither '.' nor '-' first"},
        Case{"/name", "\"a\\u0000b\"", "\"a\\u0000b\" is not allowed"},
        Case{"/needs", "[\"zz\"]", "needs[0]: no experiment is named 'zz'"},
        Case{"/needs", "[\"z1\"]", "needs itself: z1 -> z1"},
        Case{"/needs", "[\"a b\"]", "needs[0]: \"a b\" is not allowed"}));

INSTANTIATE_TEST_SUITE_P(
    Hosts, FieldFaultTest,
    ::testing::Values(
        Case{"/topology/nodes", "[\"-oProxyCommand=id\"]",
             "topology.nodes[0]: \"-oProxyCommand=id\" is no host name"},
        Case{"/topology/nodes", "[\"a;id\"]", "is no host name"},
        Case{"/topology/nodes", "\"g[1-\"", "a bracket is not closed"},
        Case{"/topology/nodes", "[]", "1 to 4096 hosts"},
        Case{"/topology/nodes", "[1]", "nodes[0]: 1 is not allowed"},
        Case{"/topology/nodes", "[\"a\", \"a\"]", "host a stands twice"},
        Case{"/topology/reach", "[\"-x\"]", "reach[0]: \"-x\" is not allowed"},
        Case{"/topology/reach", "[\"ssh\", 3]", "reach[1]: 3 is not allowed"},
        Case{"/topology/reach", "[\"ssh\", \"a\\u0000\"]", "reach[1]"},
        Case{"/topology/master_port", "65536", "a value from 0 to 65535"}));

INSTANTIATE_TEST_SUITE_P(
    Environment, FieldFaultTest,
    ::testing::Values(
        Case{"/env", "{\"A=B\": \"x\"}", "env: \"A=B\" is not allowed"},
        Case{"/env", "{\"A\": \"x\\u0007\"}", "env.A: \"x\\u0007\""},
        Case{"/env", "{\"A\": 1}", "allowed: a string: \"1\""},
        Case{"/env", "{\"RANK\": \"0\"}", "env.RANK: is set by the runner"},
        Case{"/env", "[]", "an object of strings"}));

INSTANTIATE_TEST_SUITE_P(
    Consistency, FieldFaultTest,
    ::testing::Values(
        Case{"/train/micro_batch", "3",
             "experiments[0] 'z1'.train.micro_batch: 3 x 2 ranks does not "
             "divide global_batch 8"},
        Case{"/model/kv_heads", "3", "'z1'.model.kv_heads: 3 does not divide"},
        Case{"/train/seq_len", "65", "'z1'.train.seq_len: 65 is beyond"},
        Case{"/train/warmup_steps", "5", "'z1'.train.warmup_steps: 5"},
        Case{"/expect/world_size", "3",
             "expect.world_size: 3 is expected, but 1 nodes x 2 ranks give 2"},
        Case{"/expect/min_busbw_gb_s", "3", "only backend \"collectives\""},
        Case{"/checkpoint", "{\"verify_load\": true}", "nothing is saved"},
        Case{"/command", "{\"argv\": [\"x\"]}",
             "'z1'.command: not used by backend \"engine\""},
        Case{"/exclude", "\"too slow\"", "every experiment is excluded"}));

TEST(ValidateTest, ManyNodesMustBeToldApart) {
  Json document = Document();
  Json& experiment = document["experiments"][0];
  experiment["topology"] = {{"nodes", "g[0033-0036]"}, {"ranks_per_node", 1}};
  experiment["expect"].erase("world_size");
  EXPECT_NE(FaultsOf(document).find("no word of it has \"{host}\""),
            std::string::npos);
  experiment["topology"]["reach"] = {"ssh", "{host}"};
  EXPECT_EQ(FaultsOf(document), "");
}

TEST(ValidateTest, ReportsAllFaultsAtOnce) {
  Json document = Document();
  document["experiments"].push_back(document["experiments"][0]);
  document["experiments"].push_back(5);
  document["experiments"][1]["train"]["steps"] = 0;
  document["experiments"][1]["model"].erase("layers");
  document["shema"] = 1;
  document["schema"] = 2;
  const std::string faults = FaultsOf(document);
  for (const char* part :
       {"schema: 2 is not allowed", "unknown field \"shema\"",
        "(did you mean schema?)", "experiments[1] 'z1'.train.steps: 0",
        "experiments[1] 'z1'.model.layers: missing",
        "experiments[2]: 5 is not allowed; allowed: an object",
        "experiments[1] 'z1'.name: stands twice; experiments[0] has it"}) {
    EXPECT_NE(faults.find(part), std::string::npos) << part << "\n" << faults;
  }
}

TEST(ValidateTest, RefusesDocumentsOfAnotherShape) {
  EXPECT_NE(FaultsOf(Json()).find("must give an object"), std::string::npos);
  EXPECT_NE(FaultsOf(Json::array()).find("a list of 0"), std::string::npos);
  EXPECT_NE(FaultsOf(*ParseJson(R"({"schema": 1, "sweep": "s"})"))
                .find("experiments: missing"),
            std::string::npos);
  Json document = Document();
  document["experiments"] = Json::array();
  EXPECT_NE(FaultsOf(document).find("the matrix has no experiment"),
            std::string::npos);
  document["experiments"] = Json::object();
  EXPECT_NE(FaultsOf(document).find("allowed: a list"), std::string::npos);
}

TEST(ValidateTest, BackendsAskForTheirSections) {
  Json document = Document();
  Json& experiment = document["experiments"][0];
  experiment["backend"] = "collectives";
  EXPECT_NE(FaultsOf(document).find("'z1'.collectives: missing; backend "
                                    "\"collectives\" needs it"),
            std::string::npos);
  experiment.erase("model");
  experiment.erase("data");
  experiment.erase("train");
  experiment["collectives"] = {{"ops", {"all_reduce"}}};
  EXPECT_EQ(FaultsOf(document), "");
  experiment["collectives"]["ops"] = {"all_redcue"};
  EXPECT_NE(FaultsOf(document).find("did you mean all_reduce?"),
            std::string::npos);
}

TEST(ValidateTest, CollectivesOfOneGpuAreRefused) {
  Json document = Document();
  Json& experiment = document["experiments"][0];
  experiment["backend"] = "collectives";
  experiment["collectives"] = {{"ops", {"all_reduce"}}};
  experiment.erase("model");
  experiment.erase("data");
  experiment.erase("train");
  experiment.erase("expect");
  experiment["device"] = "cuda";
  EXPECT_EQ(FaultsOf(document), "");  // 2 ranks
  experiment["topology"]["ranks_per_node"] = 1;
  EXPECT_NE(FaultsOf(document).find("needs at least 2"), std::string::npos)
      << FaultsOf(document);
  experiment["device"] = "cpu";
  EXPECT_EQ(FaultsOf(document), "");
}

TEST(ValidateTest, MegatronBatchCountsDataParallelRanks) {
  Json document = Document();
  Json& experiment = document["experiments"][0];
  experiment["backend"] = "megatron";
  experiment["megatron"] = {{"root", "/opt/megatron"}, {"tensor_parallel", 2}};
  experiment["train"]["global_batch"] = 6;  // 2 ranks: 3 steps of 2 x 1
  EXPECT_EQ(FaultsOf(document), "");
  experiment["megatron"]["tensor_parallel"] = 3;
  EXPECT_NE(FaultsOf(document).find("3 does not divide the 2 ranks"),
            std::string::npos);
}

}  // namespace
}  // namespace zs
