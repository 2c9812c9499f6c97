#include "runner/host/environment.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(EnvironmentTest, TakesVariablesThatMayChangeAResult) {
  EXPECT_TRUE(IsRelevantVariable("NCCL_IB_HCA"));
  EXPECT_TRUE(IsRelevantVariable("LD_PRELOAD"));
  EXPECT_FALSE(IsRelevantVariable("LD_PRELOAD_MORE"));
  EXPECT_FALSE(IsRelevantVariable("HOME"));
  ::setenv("GLOO_SOCKET_IFNAME", "eth0=x", 1);
  const auto variables = RelevantVariables();
  EXPECT_EQ(variables.at("GLOO_SOCKET_IFNAME"), "eth0=x");
  EXPECT_FALSE(variables.contains("PATH"));
}

TEST(EnvironmentTest, AFolderOutsideOfGitHasNoCommit) {
  const GitState state = GitStateOf("/proc");
  EXPECT_EQ(state.commit, "");
  EXPECT_FALSE(state.dirty);
}

TEST(EnvironmentTest, JsonHoldsAllParts) {
  const Json json = EnvironmentJson({.cores = 2}, {"abc", true}, {{"A", "b"}});
  EXPECT_EQ(json["machine"]["cores"], 2);
  EXPECT_EQ(json["git"]["commit"], "abc");
  EXPECT_EQ(json["git"]["dirty"], true);
  EXPECT_EQ(json["variables"]["A"], "b");
  EXPECT_FALSE(json["compiler"].get<std::string>().empty());
}

}  // namespace
}  // namespace zs
