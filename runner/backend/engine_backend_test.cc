#include "runner/backend/engine_backend.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace zs {
namespace {

Experiment TwoNodes() {
  Experiment experiment;
  experiment.name = "z1";
  experiment.train.zero_stage = 1;
  experiment.topology.nodes = {"g0033", "g0034"};
  experiment.topology.ranks_per_node = 2;
  experiment.topology.reach = {"ssh",  "{host}", "docker",
                               "exec", "-i",     "c-{host}-{host}"};
  experiment.env = {{"EMPTY", ""}, {"NCCL_DEBUG", "INFO"}, {"Q", "a 'b' $c\n"}};
  experiment.limits.hang_s = 7;
  return experiment;
}

Launch Places() {
  return {.engine_path = "/opt/engine",
          .folder = "/runs/1",
          .token = "t",
          .master_addr = "g0033",
          .master_port = 6000};
}

bool Has(const RankRequest& rank, const std::string& entry) {
  return std::count(rank.env.begin(), rank.env.end(), entry) == 1;
}

TEST(EngineBackendTest, EachRankGetsTorchrunsVariables) {
  const RunRequest request = EngineRequest(TwoNodes(), Places());
  ASSERT_EQ(request.nodes.size(), 2);
  const RankRequest& last = request.nodes[1].ranks[1];
  EXPECT_EQ(last.rank, 3);
  for (const char* entry :
       {"RANK=3", "LOCAL_RANK=1", "WORLD_SIZE=4", "LOCAL_WORLD_SIZE=2",
        "NODE_RANK=1", "NNODES=2", "NPROC_PER_NODE=2", "MASTER_ADDR=g0033",
        "MASTER_PORT=6000", "ZS_RENDEZVOUS_TOKEN=t"}) {
    EXPECT_TRUE(Has(last, entry)) << entry;
  }
  EXPECT_EQ(last.argv, (std::vector<std::string>{"/opt/engine", "--config",
                                                 "/runs/1/config.json"}));
  EXPECT_EQ(request.limits.hang_s, 7);
  EXPECT_EQ(request.ports, std::vector<int>{6000});
  // 67: peer_lost, which follows from another rank's end.
  EXPECT_EQ(request.consequence_exits, std::vector<int>{67});
}

TEST(EngineBackendTest, RanksStartFromWhereTheirNodeHasIt) {
  Launch run = Places();
  run.nodes = {{"/a/engine", "/a/config.json"}, {"/b/engine", "/b/c.json"}};
  const RunRequest request = EngineRequest(TwoNodes(), run);
  EXPECT_EQ(
      request.nodes[0].ranks[1].argv,
      (std::vector<std::string>{"/a/engine", "--config", "/a/config.json"}));
  EXPECT_EQ(request.nodes[1].ranks[0].argv,
            (std::vector<std::string>{"/b/engine", "--config", "/b/c.json"}));
}

TEST(EngineBackendTest, DeclaredVariablesArriveUntouched) {
  const RankRequest rank =
      EngineRequest(TwoNodes(), Places()).nodes[0].ranks[0];
  EXPECT_TRUE(Has(rank, "EMPTY="));
  EXPECT_TRUE(Has(rank, "Q=a 'b' $c\n"));
}

TEST(EngineBackendTest, TheHostStandsWhereTheReachNamesIt) {
  const RunRequest request = EngineRequest(TwoNodes(), Places());
  EXPECT_EQ(request.nodes[1].reach,
            (std::vector<std::string>{"ssh", "g0034", "docker", "exec", "-i",
                                      "c-g0034-g0034"}));
}

TEST(EngineBackendTest, TheConfigurationNamesTheRunsOwnFolders) {
  Launch run = Places();
  run.checkpoint = {.save_dir = "/runs/1/checkpoints", .save_at_end = true};
  const RunConfig config = EngineRunConfig(TwoNodes(), run);
  EXPECT_EQ(config.experiment, "z1");
  EXPECT_EQ(config.train.zero_stage, 1);
  EXPECT_EQ(config.checkpoint.save_dir, "/runs/1/checkpoints");
}

TEST(EngineBackendTest, ALoadThatIsVerifiedHasACheckpointBeforeTheEnd) {
  Experiment experiment = TwoNodes();
  experiment.train.steps = 11;
  EXPECT_EQ(CheckpointsOf(experiment, "/runs/1").save_dir, "");
  experiment.checkpoint.verify_load = true;
  const CheckpointConfig saved = CheckpointsOf(experiment, "/runs/1");
  EXPECT_EQ(saved.save_every, 5);
  EXPECT_EQ(saved.save_dir, "/runs/1/checkpoints");
  experiment.checkpoint.dir = "/shared";
  EXPECT_EQ(CheckpointsOf(experiment, "/runs/1").save_dir, "/shared");
}

}  // namespace
}  // namespace zs
