// The shipped experiment files: valid on every machine, the same under the
// stock jsonnet command, and what they are said to be.
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/status_matchers.h"
#include "engine/api/layout.h"
#include "gtest/gtest.h"
#include "runner/plan/load.h"
#include "runner/plan/spec/graph.h"

namespace zs {
namespace {

constexpr char kTwoCores[] =
    R"({"cores": 2, "memory_bytes": 8000000000, "gpus": []})";
constexpr char kOneCore[] =
    R"({"cores": 1, "memory_bytes": 8000000000, "gpus": []})";

// A machine with COUNT H200.
std::string Gpus(int count) {
  Json machine = {{"cores", 16}, {"memory_bytes", int64_t{128} << 30}};
  machine["gpus"] = Json::array();
  for (int i = 0; i < count; ++i) {
    machine["gpus"].push_back(
        {{"name", "NVIDIA H200"}, {"memory_bytes", 150'754'820'096}});
  }
  return DumpJson(machine);
}

Result<LoadedSweep> Load(const std::string& file, const std::string& machine) {
  EvalRequest request;
  request.file = "experiments/" + file;
  request.library_dir = "experiments";
  request.machine = machine;
  return LoadSweep(request);
}

std::vector<std::string> Names(const Sweep& sweep) {
  std::vector<std::string> names;
  for (const Experiment& experiment : sweep.experiments) {
    names.push_back(experiment.name);
  }
  return names;
}

struct Case {
  const char* file;
  std::string machine;
  bool takes_machine;
};

class ShippedFileTest : public ::testing::TestWithParam<Case> {};

TEST_P(ShippedFileTest, IsValidAndInOrder) {
  const auto loaded = Load(GetParam().file, GetParam().machine);
  ASSERT_OK(loaded);
  const Graph graph = MakeGraph(loaded->sweep);
  for (size_t i = 0; i < graph.order.size(); ++i) {
    EXPECT_EQ(graph.order[i], i);  // the file is in the order of its needs
  }
}

TEST_P(ShippedFileTest, IsTheSameUnderTheStockCommand) {
  const std::string out = ::testing::TempDir() + "/stock.json";
  const std::string command =
      std::string("jsonnet ") +
      (GetParam().takes_machine
           ? "--tla-code 'machine=" + GetParam().machine + "' "
           : "") +
      "experiments/" + GetParam().file + " > " + out;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const auto loaded = Load(GetParam().file, GetParam().machine);
  ASSERT_OK(loaded);
  const auto stock = ReadFile(out);
  ASSERT_OK(stock);
  EXPECT_EQ(loaded->document, *stock);
}

INSTANTIATE_TEST_SUITE_P(
    Files, ShippedFileTest,
    ::testing::Values(Case{"sweep.jsonnet", kTwoCores, true},
                      Case{"sweep.jsonnet", kOneCore, true},
                      Case{"sweep.jsonnet", Gpus(1), true},
                      Case{"sweep.jsonnet", Gpus(2), true},
                      Case{"sweep.jsonnet", Gpus(8), true},
                      Case{"profile.jsonnet", kTwoCores, true},
                      Case{"profile.jsonnet", kOneCore, true},
                      Case{"profile.jsonnet", Gpus(2), true},
                      Case{"eight_gpus.jsonnet", Gpus(2), true},
                      Case{"eight_gpus.jsonnet", Gpus(8), true},
                      Case{"smoke.jsonnet", kTwoCores, false},
                      Case{"four_nodes.jsonnet", kTwoCores, false}));

TEST(SweepFileTest, ComparesStagesOnEachCpuTopology) {
  const auto loaded = Load("sweep.jsonnet", kTwoCores);
  ASSERT_OK(loaded);
  EXPECT_EQ(Names(loaded->sweep),
            (std::vector<std::string>{"smoke_r1", "smoke_r2", "links_r2",
                                      "z0_r1", "z1_r1", "z2_r1", "z0", "z1",
                                      "z2", "z0_r4", "z1_r4", "z2_r4"}));
  std::set<int64_t> batches;
  for (const Experiment& experiment : loaded->sweep.experiments) {
    EXPECT_EQ(experiment.device, "cpu");
    EXPECT_TRUE(experiment.exclude.empty());
    if (experiment.name[0] == 'z') {
      EXPECT_EQ(experiment.train.zero_stage, experiment.name[1] - '0');
      batches.insert(experiment.train.global_batch);
    }
  }
  EXPECT_EQ(batches.size(), 1u);  // or the losses could not be compared
}

TEST(SweepFileTest, OneCoreLeavesFourRanksOutWithAReason) {
  const auto loaded = Load("sweep.jsonnet", kOneCore);
  ASSERT_OK(loaded);
  for (const Experiment& experiment : loaded->sweep.experiments) {
    EXPECT_EQ(experiment.exclude.empty(), experiment.world_size() < 4)
        << experiment.name;
  }
}

TEST(SweepFileTest, UsesOneAndAllGpus) {
  const auto loaded = Load("sweep.jsonnet", Gpus(8));
  ASSERT_OK(loaded);
  std::map<std::string, int> models;
  std::set<int> worlds;
  for (const Experiment& experiment : loaded->sweep.experiments) {
    EXPECT_EQ(experiment.device, "cuda");
    ++models[experiment.model.name];
    worlds.insert(experiment.world_size());
  }
  EXPECT_EQ(models["gpt2_124m"], 6);
  EXPECT_EQ(models["qwen3_1p7b"], 6);
  EXPECT_EQ(worlds, (std::set<int>{1, 8}));
}

TEST(EightGpusFileTest, ScalesEachStageBehindTheLinksOfItsGpus) {
  const auto loaded = Load("eight_gpus.jsonnet", Gpus(8));
  ASSERT_OK(loaded);
  std::map<std::string, std::set<int64_t>> strong;
  std::map<std::string, int> runs;
  for (const Experiment& experiment : loaded->sweep.experiments) {
    EXPECT_TRUE(experiment.exclude.empty()) << experiment.name;
    const int ranks = experiment.world_size();
    if (experiment.backend == Backend::kCollectives) {
      EXPECT_EQ(experiment.name, "links_" + std::to_string(ranks));
      continue;
    }
    ++runs[experiment.model.name];
    EXPECT_EQ(experiment.needs.empty(), ranks == 1);
    if (experiment.name.find("strong") != std::string::npos) {
      strong[experiment.model.name].insert(experiment.train.global_batch);
    } else {
      EXPECT_EQ(Accumulation(experiment.train, ranks), 2) << experiment.name;
    }
  }
  // z0 on one GPU, three stages on 2, 4 and 8; strong and weak.
  EXPECT_EQ(runs["gpt2_124m"], 20);
  EXPECT_EQ(runs["qwen3_1p7b"], 20);
  EXPECT_EQ(strong["qwen3_1p7b"].size(), 1U);
}

TEST(EightGpusFileTest, LeavesOutWhatTheMachineLacks) {
  const auto loaded = Load("eight_gpus.jsonnet", Gpus(2));
  ASSERT_OK(loaded);
  for (const Experiment& experiment : loaded->sweep.experiments) {
    EXPECT_EQ(experiment.exclude.empty(), experiment.world_size() <= 2)
        << experiment.name;
  }
}

TEST(FourNodesFileTest, FollowsTheFiveSteps) {
  const auto loaded = Load("four_nodes.jsonnet", "");
  ASSERT_OK(loaded);
  EXPECT_EQ(Names(loaded->sweep),
            (std::vector<std::string>{"smoke_single", "smoke_multi", "z0", "z1",
                                      "z2"}));
  for (size_t i = 2; i < 5; ++i) {
    const Experiment& experiment = loaded->sweep.experiments[i];
    EXPECT_EQ(experiment.needs, std::vector<std::string>{"smoke_multi"});
    EXPECT_EQ(experiment.topology.nodes,
              (std::vector<std::string>{"g0033", "g0034", "g0035", "g0036"}));
    EXPECT_EQ(experiment.world_size(), 32);
    EXPECT_EQ(Accumulation(experiment.train, 32), 4);
    EXPECT_EQ(experiment.env.at("NCCL_DEBUG"), "INFO");
    EXPECT_EQ(experiment.topology.master_port, 6000);
  }
}

TEST(FourNodesFileTest, TriesTheNodesOnCpuRanks) {
  EvalRequest request;
  request.file = "experiments/four_nodes.jsonnet";
  request.library_dir = "experiments";
  request.tla_strs = {{"device", "cpu"}};
  request.tla_codes = {
      {"variables", "{NPROC_PER_NODE: 2, CONTAINER_NAME: '', ZERO_STAGE: 1}"}};
  const auto loaded = LoadSweep(request);
  ASSERT_OK(loaded);
  EXPECT_EQ(Names(loaded->sweep),
            (std::vector<std::string>{"smoke_single", "smoke_multi", "z1"}));
  const Experiment& z1 = loaded->sweep.experiments[2];
  EXPECT_EQ(z1.world_size(), 8);
  EXPECT_EQ(z1.topology.reach,
            (std::vector<std::string>{"ssh", "-oBatchMode=yes", "{host}"}));
}

TEST(ModelsTest, HaveThePublishedNumberOfParameters) {
  const auto gpus = Load("sweep.jsonnet", Gpus(1));
  ASSERT_OK(gpus);
  std::map<std::string, int64_t> counts;
  for (const Experiment& experiment : gpus->sweep.experiments) {
    counts[experiment.model.name] = ParameterCount(experiment.model);
  }
  // GPT-2 with its 1024 positions; Qwen3-1.7B: 28 x (12 x 2048^2 + 2 x 2048 +
  // 2 x 128) + 2048 + 151936 x 2048.
  EXPECT_EQ(counts["gpt2_124m"], 124'439'808);
  EXPECT_EQ(counts["qwen3_1p7b"], 1'720'574'976);
}

TEST(SmokeFileTest, CoversStagesAndOneCheckpoint) {
  const auto loaded = Load("smoke.jsonnet", "");
  ASSERT_OK(loaded);
  int verified = 0;
  std::set<int> stages;
  for (const Experiment& experiment : loaded->sweep.experiments) {
    if (experiment.world_size() == 2) {
      stages.insert(experiment.train.zero_stage);
    }
    verified += experiment.checkpoint.verify_load ? 1 : 0;
  }
  EXPECT_EQ(stages, (std::set<int>{0, 1, 2}));
  EXPECT_EQ(verified, 1);
}

}  // namespace
}  // namespace zs
