#include "runner/sweep/settle.h"

#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "base/spawn.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

class SettleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path =
        ::testing::TempDir() + "/" + std::to_string(::getpid()) + "-" +
        ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".db";
    auto store = results::Store::Open({.path = path});
    ASSERT_OK(store);
    store_ = *std::move(store);
    experiment_.name = "z0";
    experiment_.topology.nodes = {"here"};
    const auto sweep = store_->BeginSweep({.name = "s", .file = "f"});
    ASSERT_OK(sweep);
    sweep_id_ = *sweep;
    const auto ids =
        store_->AddExperiments(sweep_id_, {{.name = "z0", .key = "k"}});
    ASSERT_OK(ids);
    experiment_id_ = (*ids)[0];
  }

  // A run on node "here" whose runner died.
  int64_t DeadRun(const std::string& token) {
    const auto run =
        store_->BeginRun({.experiment_id = experiment_id_, .token = token});
    EXPECT_OK(run);
    EXPECT_OK(store_->AddNodes(*run, {{.host = "here", .ranks = 1}}));
    EXPECT_OK(store_->Recover(5));
    return *run;
  }

  Result<std::vector<CheckResult>> Settle() {
    return SettleNodes(experiment_, sweep_id_, 7, *store_, agents_);
  }

  std::unique_ptr<results::Store> store_;
  AgentPool agents_{{.agent_path = "runner/agent/agent"}};
  Experiment experiment_;
  int64_t sweep_id_ = 0;
  int64_t experiment_id_ = 0;
};

TEST_F(SettleTest, NodesThatAreCleanCostNothing) {
  const auto bad = Settle();
  ASSERT_OK(bad);
  EXPECT_TRUE(bad->empty());
}

TEST_F(SettleTest, EndsWhatADeadRunnersRunHasLeft) {
  const std::string token = "settle-" + std::to_string(::getpid());
  SpawnSpec spec;
  spec.argv = {"sleep", "1000"};
  spec.env = {"PATH=/bin:/usr/bin", "ZS_RUN_TOKEN=" + token + ".0"};
  spec.new_session = true;
  const Result<pid_t> pid = Spawn(spec);
  ASSERT_OK(pid);
  const int64_t run = DeadRun(token);

  const auto bad = Settle();
  ASSERT_OK(bad);
  EXPECT_TRUE(bad->empty());
  int status = 0;
  EXPECT_EQ(::waitpid(*pid, &status, 0), *pid);
  EXPECT_TRUE(WIFSIGNALED(status));
  const auto nodes = store_->reader().Nodes(run);
  ASSERT_OK(nodes);
  EXPECT_EQ((*nodes)[0].clean, 1);
  EXPECT_EQ((*nodes)[0].left_processes, 0);
  const auto unclean = store_->reader().UncleanNodes("here");
  ASSERT_OK(unclean);
  EXPECT_TRUE(unclean->empty());
}

// What nvidia-smi did not tell leaves the node unknown, not unclean; a look at
// its processes settles that.
TEST_F(SettleTest, NodeWhoseGpusNobodyKnowsIsLookedAtAndNotRefused) {
  CleanupReceipt receipt;
  receipt.verified = true;
  receipt.gpus_used = true;
  results::NodeRow row;
  SetReceipt(receipt, row);
  EXPECT_FALSE(row.clean.has_value());
  receipt.gpu_left_bytes = 1;
  SetReceipt(receipt, row);
  EXPECT_EQ(row.clean, 0);

  const int64_t run = DeadRun("gpus");
  const auto bad = Settle();
  ASSERT_OK(bad);
  EXPECT_TRUE(bad->empty());
  EXPECT_EQ((*store_->reader().Nodes(run))[0].clean, 1);
}

TEST_F(SettleTest, NodeThatDoesNotAnswerRefusesTheExperimentUntilItDoes) {
  const int64_t run = DeadRun("nobody");
  experiment_.topology.reach = {"sh", "-c", "echo 'No route' >&2; exit 255"};
  const auto bad = Settle();
  ASSERT_OK(bad);
  ASSERT_EQ(bad->size(), 1U);
  EXPECT_EQ((*bad)[0].name, "clean_up");
  EXPECT_EQ((*bad)[0].node, "here");
  EXPECT_NE((*bad)[0].found.find("run " + std::to_string(run) + " (z0)"),
            std::string::npos)
      << (*bad)[0].found;
  EXPECT_NE((*bad)[0].repeat.find("ZS_RUN_TOKEN=nobody"), std::string::npos);
  experiment_.topology.reach = {};
  const auto later = Settle();
  ASSERT_OK(later);
  EXPECT_TRUE(later->empty());
}

}  // namespace
}  // namespace zs
