#include "runner/sweep/node_answers.h"

#include <string>
#include <vector>

#include "base/json.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

class NodeAnswersTest : public ::testing::Test {
 protected:
  NodeAnswersTest() {
    experiment_.topology.nodes = {"g0033", "g0034"};
    experiment_.topology.reach = {"ssh", "{host}"};
    for (const std::string& node : experiment_.topology.nodes) {
      Compared("version", node, "kernel", "6.1.0");
      Compared("version", node, "nccl", "2.28.9");
      Told("machine", node,
           {{"cpu", "Fast 9"},
            {"cores", "64"},
            {"os", "Debian 12"},
            {"inherited:NCCL_ALGO", "Ring"}});
      Told("engine", node,
           {{"engine", "zerosweep engine 0.1.0"}, {"libdnnl.so.3", "ab12"}});
    }
  }

  void Compared(const std::string& check, const std::string& node,
                const std::string& subject, const std::string& value) {
    results_.push_back({.name = check,
                        .node = node,
                        .state = CheckState::kOk,
                        .found = {},
                        .limit = {},
                        .repeat = {},
                        .subject = subject,
                        .value = value});
  }
  void Told(const std::string& check, const std::string& node,
            const std::map<std::string, std::string>& facts) {
    Compared(check, node, "", "");
    results_.back().facts = facts;
  }
  Surroundings Answers() const { return AnswersOf(experiment_, results_); }

  Experiment experiment_;
  std::vector<CheckResult> results_;
};

TEST_F(NodeAnswersTest, WhatAllNodesShareStandsOnce) {
  const Surroundings answers = Answers();
  EXPECT_EQ(answers.software,
            R"({"engine":"zerosweep engine 0.1.0","kernel":"6.1.0",)"
            R"("libdnnl.so.3":"ab12","nccl":"2.28.9","os":"Debian 12"})");
  EXPECT_EQ(answers.hardware, R"({"cores":"64","cpu":"Fast 9"})");
  EXPECT_EQ(answers.inherited, R"({"NCCL_ALGO":"Ring"})");
  EXPECT_EQ(answers.engine, "");
  EXPECT_EQ(answers.unknown, "");
}

TEST_F(NodeAnswersTest, WhatDiffersIsInTheOrderOfTheNodes) {
  Compared("version", "g0034", "cuda", "13.0");
  EXPECT_EQ((*ParseJson(Answers().software))["cuda"],
            (Json::array({nullptr, "13.0"})));
}

TEST_F(NodeAnswersTest, AnotherGpuModelOrNumberIsOtherHardware) {
  experiment_.device = "cuda";
  EXPECT_EQ(Answers().unknown, "gpu * of node 0, gpu * of node 1");
  Told("gpus", "g0033", {{"gpu 0", "H100, 81559 MiB"}});
  Told("gpus", "g0034", {{"gpu 0", "H100, 81559 MiB"}});
  const Surroundings one = Answers();
  EXPECT_EQ(one.unknown, "");
  results_.back().facts["gpu 1"] = "H100, 81559 MiB";
  EXPECT_NE(Answers().hardware, one.hardware);
  results_.back().facts = {{"gpu 0", "H200, 143771 MiB"}};
  EXPECT_NE(Answers().hardware, one.hardware);
}

TEST_F(NodeAnswersTest, ACommandIsKnownByItsContentOnTheNodes) {
  experiment_.backend = Backend::kCommand;
  EXPECT_EQ(Answers().unknown, "program of node 0, program of node 1");
  Told("program", "g0033", {{"program", "aa"}, {"word 1", "bb"}});
  Told("program", "g0034", {{"program", "aa"}, {"word 1", "bb"}});
  EXPECT_EQ(Answers().engine, R"({"program":"aa","word 1":"bb"})");
  EXPECT_EQ(Answers().unknown, "");
  results_.back().facts["word 1"] = "";  // a file that cannot be read
  EXPECT_NE(Answers().unknown, "");
}

TEST_F(NodeAnswersTest, TheTreeIsTheEngineOfMegatronWhereverItLies) {
  experiment_.backend = Backend::kMegatron;
  experiment_.megatron.emplace().root = "/opt/megatron";
  Told("program", "g0033", {{"program", "aa"}});
  Told("program", "g0034", {{"program", "aa"}});
  EXPECT_EQ(Answers().unknown, "tree of node 0, tree of node 1");
  Compared("same_tree", "g0033", "/opt/megatron", "t");
  Compared("same_tree", "g0034", "/opt/megatron", "t");
  EXPECT_EQ(Answers().engine, R"({"program":"aa","tree":"t"})");
  EXPECT_EQ(Answers().files, "");
}

TEST_F(NodeAnswersTest, FilesOfOneNameAreTwo) {
  for (const char* node : {"g0033", "g0034"}) {
    Compared("same_file", node, "/a/corpus.bin", "1");
    Compared("same_file", node, "/b/corpus.bin", "2");
  }
  EXPECT_EQ(Answers().files, R"({"0 corpus.bin":"1","1 corpus.bin":"2"})");
}

TEST_F(NodeAnswersTest, SecretsCountByTheirHash) {
  results_[2].facts["inherited:NCCL_TOKEN"] = "canary";
  EXPECT_EQ(Answers().inherited.find("canary"), std::string::npos);
}

TEST(EngineVersionsTest, TheFirstLineIsTheEngineTheOthersAreLibraries) {
  EXPECT_EQ(EngineVersions("zerosweep engine 0.1.0\nlibgloo.so.0 1f\n"),
            (std::map<std::string, std::string>{
                {"engine", "zerosweep engine 0.1.0"}, {"libgloo.so.0", "1f"}}));
  EXPECT_TRUE(EngineVersions("").empty());
}

}  // namespace
}  // namespace zs
