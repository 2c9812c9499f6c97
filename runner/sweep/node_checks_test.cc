#include "runner/sweep/node_checks.h"

#include <string>

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

TEST(NodeChecksTest, OtherHostsAreAskedForMasterPortAndData) {
  const PreflightRequest request = ChecksOf(OnTwoNodes());
  ASSERT_EQ(request.nodes.size(), 2U);
  EXPECT_EQ(request.nodes[1].reach, (std::vector<std::string>{"ssh", "g0034"}));
  EXPECT_EQ(request.master_addr, "g0033");
  EXPECT_EQ(request.master_port, 6000);
  ASSERT_EQ(request.paths.size(), 2U);
  EXPECT_EQ(request.paths[1].path, "/data/corpus.idx");
  EXPECT_TRUE(request.paths[1].same_everywhere);
}

TEST(NodeChecksTest, ThisHostIsAskedOnceForNextToNothing) {
  Experiment experiment;
  experiment.topology.nodes = {"localhost"};
  AgentPool agents({"runner/agent/agent", "subreaper"});
  NodeChecks checks(agents, {});
  const NodeChecks::Found& first = checks.Check(experiment);
  EXPECT_TRUE(first.all_ok) << FailureText(first.results);
  EXPECT_TRUE(first.fresh);
  EXPECT_EQ(first.results.size(), 2U);  // reach and clock
  EXPECT_FALSE(checks.Check(experiment).fresh);
}

TEST(NodeChecksTest, NodeThatIsNotReachedIsTheReason) {
  Experiment experiment = OnTwoNodes();
  experiment.topology.reach = {"false"};
  AgentPool agents({"runner/agent/agent", "subreaper"});
  NodeChecks checks(agents, {});
  const NodeChecks::Found& found = checks.Check(experiment);
  EXPECT_FALSE(found.all_ok);
  const std::string text = FailureText(found.results);
  EXPECT_TRUE(text.starts_with("reach g0033: ")) << text;
  EXPECT_TRUE(text.ends_with(" (and 1 more)")) << text;
}

TEST(NodeChecksTest, SecretsOnTheWayToANodeAreNotTold) {
  Experiment experiment = OnTwoNodes();
  experiment.topology.reach = {"env", "API_TOKEN=canary", "false"};
  AgentPool agents({"runner/agent/agent", "subreaper"});
  NodeChecks checks(agents, {});
  for (const CheckResult& result : checks.Check(experiment).results) {
    EXPECT_EQ((result.found + result.repeat).find("canary"), std::string::npos)
        << result.found << result.repeat;
  }
}

TEST(NodeChecksTest, RowsSayHowToRepeatACheck) {
  const auto rows = RowsOf({{"space", "g0034", CheckState::kFailed, "1 byte",
                             "at least 2", "ssh g0034 'df'"},
                            {"shm", "g0034", CheckState::kUnknown, "", "", ""}},
                           7);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].status, results::CheckStatus::kFail);
  EXPECT_EQ(rows[0].hint, "ssh g0034 'df'");
  EXPECT_EQ(rows[0].at_unix_ms, 7);
  EXPECT_EQ(rows[1].status, results::CheckStatus::kUnknown);
}

}  // namespace
}  // namespace zs
