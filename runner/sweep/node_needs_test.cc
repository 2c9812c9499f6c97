#include "runner/sweep/node_needs.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

Experiment OnTwoNodes() {
  Experiment experiment;
  experiment.name = "z1";
  experiment.topology.nodes = {"g0033", "g0034"};
  experiment.topology.reach = {"ssh", "{host}"};
  experiment.topology.master_port = 6000;
  experiment.data.kind = "megatron";
  experiment.data.paths = {"/data/corpus"};
  return experiment;
}

TEST(NodeNeedsTest, OtherHostsAreAskedForMasterPortAndData) {
  const PreflightRequest request = ChecksOf(OnTwoNodes(), "");
  ASSERT_EQ(request.nodes.size(), 2U);
  EXPECT_EQ(request.nodes[1].reach, (std::vector<std::string>{"ssh", "g0034"}));
  EXPECT_EQ(request.master_addr, "g0033");
  EXPECT_EQ(request.master_port, 6000);
  ASSERT_EQ(request.paths.size(), 2U);
  EXPECT_EQ(request.paths[1].path, "/data/corpus.idx");
  EXPECT_TRUE(request.paths[1].same_everywhere);
  EXPECT_TRUE(request.versions);
  EXPECT_TRUE(request.leftovers);
  EXPECT_EQ(request.gpus, 0);
}

TEST(NodeNeedsTest, GpusNeedSharedAndLockedMemory) {
  Experiment experiment = OnTwoNodes();
  experiment.device = "cuda";
  experiment.topology.ranks_per_node = 8;
  PreflightRequest request = ChecksOf(experiment, "");
  EXPECT_EQ(request.gpus, 8);
  EXPECT_EQ(request.shm_bytes, int64_t{1} << 30);
  EXPECT_EQ(request.memlock_bytes, -1);
  EXPECT_TRUE(request.memlock_for_adapters);
  experiment.env["NCCL_IB_DISABLE"] = "1";
  request = ChecksOf(experiment, "");
  EXPECT_EQ(request.memlock_bytes, 0);
}

TEST(NodeNeedsTest, NetworkVariablesAreThoseThatAreUsed) {
  Experiment experiment = OnTwoNodes();
  experiment.env = {{"NCCL_IB_HCA", "mlx5_0"},
                    {"GLOO_SOCKET_IFNAME", "eth0"},
                    {"NCCL_SOCKET_IFNAME", ""}};
  // On CPUs the engine takes Gloo, and no adapter.
  EXPECT_EQ(
      ChecksOf(experiment, "").network,
      (std::map<std::string, std::string>{{"GLOO_SOCKET_IFNAME", "eth0"}}));
  experiment.device = "cuda";
  EXPECT_EQ(ChecksOf(experiment, "").network.count("NCCL_IB_HCA"), 1U);
}

TEST(NodeNeedsTest, CheckpointsNeedSpaceForWeightsAndMoments) {
  Experiment experiment = OnTwoNodes();
  EXPECT_EQ(CheckpointFolder(experiment, "/a"), "");
  experiment.checkpoint.save_at_end = true;
  EXPECT_EQ(CheckpointFolder(experiment, "/a"), "/a");
  experiment.checkpoint.dir = "/shared";
  EXPECT_EQ(CheckpointFolder(experiment, "/a"), "/shared");
  experiment.model = {.layers = 1,
                      .hidden = 4,
                      .heads = 1,
                      .kv_heads = 1,
                      .head_size = 4,
                      .ffn = 4,
                      .vocab = 1000};
  const PreflightRequest request = ChecksOf(experiment, "/shared");
  EXPECT_EQ(request.space_path, "/shared");
  // 4000 parameters of the embedding alone.
  EXPECT_GE(request.space_bytes, 16 * 4000);
}

TEST(NodeNeedsTest, OneNodeElsewhereIsAskedForItsVersionsToo) {
  Experiment experiment = OnTwoNodes();
  experiment.topology.nodes.pop_back();
  const PreflightRequest request = ChecksOf(experiment, "");
  EXPECT_TRUE(request.versions);
  ASSERT_EQ(request.paths.size(), 2U);
  EXPECT_TRUE(request.paths[0].same_everywhere);
}

TEST(NodeNeedsTest, ACommandsWordsAreLookedAtButNotItsSecrets) {
  Experiment experiment = OnTwoNodes();
  experiment.backend = Backend::kCommand;
  experiment.command.emplace().argv = {"train", "--api-key", "canary", "x.py"};
  experiment.env["PATH"] = "/opt/bin";
  const PreflightRequest request = ChecksOf(experiment, "");
  EXPECT_EQ(request.program_words,
            (std::vector<std::string>{"--api-key", "", "x.py"}));
  EXPECT_EQ(request.path, "/opt/bin");
  EXPECT_EQ(request.python, "");
}

TEST(NodeNeedsTest, ACommandNeedsItsProgramAndScript) {
  Experiment experiment = OnTwoNodes();
  experiment.backend = Backend::kCommand;
  experiment.data = {};
  experiment.command.emplace();
  experiment.command->argv = {"python3", "/opt/train.py", "--lr", "/x"};
  experiment.command->cwd = "/srv";
  PreflightRequest request = ChecksOf(experiment, "");
  EXPECT_EQ(request.programs, std::vector<std::string>{"python3"});
  ASSERT_EQ(request.paths.size(), 2U);
  EXPECT_EQ(request.paths[0].path, "/srv");
  EXPECT_EQ(request.paths[1].path, "/opt/train.py");
  experiment.command->torchrun = true;
  request = ChecksOf(experiment, "");
  EXPECT_EQ(request.programs, std::vector<std::string>{"torchrun"});
  EXPECT_EQ(request.python, "python3");
}

TEST(NodeNeedsTest, WhatIsDeclaredIsAdded) {
  Experiment experiment = OnTwoNodes();
  experiment.checks.paths = {"/ssd/data"};
  experiment.checks.same_trees = {"/opt/megatron"};
  experiment.checks.memlock_bytes = 1 << 20;
  experiment.checks.clock_skew_s = 5;
  experiment.ulimits.open_files = 4096;
  const PreflightRequest request = ChecksOf(experiment, "");
  EXPECT_EQ(request.paths.back().path, "/ssd/data");
  EXPECT_EQ(request.trees, std::vector<std::string>{"/opt/megatron"});
  EXPECT_EQ(request.memlock_bytes, 1 << 20);
  EXPECT_FALSE(request.memlock_for_adapters);
  EXPECT_EQ(request.clock_skew_s, 5);
  EXPECT_EQ(
      request.ulimits,
      (std::vector<std::pair<std::string, int64_t>>{{"open_files", 4096}}));
  EXPECT_NE(KeyOf(request, experiment, ""),
            KeyOf(ChecksOf(OnTwoNodes(), ""), experiment, ""));
}

// What was looked at for another experiment does not do for this one.
TEST(NodeNeedsTest, KeyTellsAllThatIsLookedAt) {
  const Experiment experiment = OnTwoNodes();
  PreflightRequest request = ChecksOf(experiment, "");
  request.paths.push_back({"/data", WantedPath::Kind::kAny, false, ""});
  const std::string key = KeyOf(request, experiment, "");
  PreflightRequest other = request;
  other.memlock_for_adapters = !request.memlock_for_adapters;
  EXPECT_NE(KeyOf(other, experiment, ""), key);
  other = request;
  other.paths.back().kind = WantedPath::Kind::kWritableFolder;
  EXPECT_NE(KeyOf(other, experiment, ""), key);
  other = request;
  other.path = "/opt/bin";
  EXPECT_NE(KeyOf(other, experiment, ""), key);
}

TEST(NodeNeedsTest, ProgramsAreLookedForInTheExperimentsOwnPath) {
  Experiment experiment = OnTwoNodes();
  experiment.env["PATH"] = "/opt/bin:/usr/bin";
  EXPECT_EQ(ChecksOf(experiment, "").path, "/opt/bin:/usr/bin");
}

TEST(NodeNeedsTest, ThisHostIsAskedForNextToNothing) {
  Experiment experiment;
  experiment.topology.nodes = {"localhost"};
  const PreflightRequest request = ChecksOf(experiment, "");
  EXPECT_TRUE(request.master_addr.empty());
  EXPECT_FALSE(request.leftovers);
  EXPECT_FALSE(request.versions);
  EXPECT_EQ(request.space_bytes, 0);
}

}  // namespace
}  // namespace zs
