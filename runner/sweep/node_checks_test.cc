#include "runner/sweep/node_checks.h"

#include <algorithm>
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

TEST(NodeChecksTest, ThisHostIsAskedOnceForNextToNothing) {
  Experiment experiment;
  experiment.topology.nodes = {"localhost"};
  AgentPool agents({"runner/agent/agent", "subreaper"});
  NodeChecks checks(agents, {});
  const NodeChecks::Found& first = checks.Check(experiment);
  EXPECT_TRUE(first.all_ok) << FailureText(first.results);
  EXPECT_TRUE(first.fresh);
  EXPECT_EQ(first.results.size(), 3U);  // reach, clock, open_files
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

TEST(NodeChecksTest, WhatWasWrongIsLookedAtAgain) {
  Experiment experiment = OnTwoNodes();
  experiment.topology.reach = {"false"};
  AgentPool agents({"runner/agent/agent", "subreaper"});
  NodeChecks checks(agents, {});
  EXPECT_TRUE(checks.Check(experiment).fresh);
  EXPECT_TRUE(checks.Check(experiment).fresh);
}

TEST(NodeChecksTest, AcceptedChecksAreWarnings) {
  Experiment experiment;
  experiment.topology.nodes = {"localhost"};
  experiment.checks.open_files = 900'000'000;
  AgentPool agents({"runner/agent/agent", "subreaper"});
  NodeChecks checks(agents, {});
  EXPECT_FALSE(checks.Check(experiment).all_ok);
  experiment.checks.accept = {"open_files"};
  const NodeChecks::Found& found = checks.Check(experiment);
  EXPECT_TRUE(found.all_ok) << FailureText(found.results);
  const auto rows = RowsOf(found.results, 0);
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const auto& row) {
    return row.name == "open_files" &&
           row.status == results::CheckStatus::kWarn;
  }));
}

TEST(NodeChecksTest, TooLittleSpaceForTheRecordIsFound) {
  Experiment experiment;
  experiment.topology.nodes = {"localhost"};
  AgentPool agents({"runner/agent/agent", "subreaper"});
  // Nothing may be written there, nor will it ever be.
  NodeChecks checks(agents, {.artifact_root = "/proc/results"});
  const NodeChecks::Found& found = checks.Check(experiment);
  EXPECT_TRUE(FailureText(found.results).starts_with("runner_space this host"))
      << FailureText(found.results);
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
