#include "runner/observe/env/lint.h"

#include "gtest/gtest.h"

namespace zs {
namespace {

std::vector<EnvironmentIssue> Lint(const Environment& environment,
                                   LintContext context = {}) {
  return LintEnvironment(environment, context);
}

TEST(LintTest, NamesTheNearestKnownName) {
  const auto issues = Lint({{"NCCL_SOCKET_IFNAM", "eth0"},
                            {"NCCL_IB_DISABEL", "1"},
                            {"CUDA_VISIBLE_DEVICE", "0"}});
  ASSERT_EQ(issues.size(), 3u);
  EXPECT_EQ(issues[0].nearest, "CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(issues[1].nearest, "NCCL_IB_DISABLE");
  EXPECT_EQ(issues[2].nearest, "NCCL_SOCKET_IFNAME");
}

TEST(LintTest, LetsKnownAndForeignNamesPass) {
  EXPECT_TRUE(Lint({{"NCCL_DEBUG", "INFO"},
                    {"NCCL_DEBUG_SUBSYS", "INIT,NET"},
                    {"GLOO_SOCKET_IFNAME", "bond0"},
                    {"NCCL_SOCKET_IFNAME", "bond0"},
                    {"UCX_TLS", "rc"},
                    {"PATH", "/bin"},
                    {"CUDA_DEVICE_MAX_CONNECTIONS", "1"}})
                  .empty());
}

TEST(LintTest, AnUnknownNameFarFromAllHasNoNearest) {
  const auto issues = Lint({{"NCCL_XYZZY", "1"}});
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_NE(issues[0].message.find("NCCL_XYZZY"), std::string::npos);
}

TEST(LintTest, FindsContradictions) {
  const auto issues =
      Lint({{"NCCL_IB_DISABLE", "1"}, {"NCCL_IB_HCA", "mlx5_0"}});
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].name, "NCCL_IB_HCA");
  EXPECT_EQ(
      Lint({{"NCCL_SOCKET_IFNAME", "eth0"}, {"GLOO_SOCKET_IFNAME", "ib0"}})
          .size(),
      1u);
}

TEST(LintTest, SaysWhatAVersionIgnores) {
  LintContext old;
  old.nccl_version = "2.19.3";
  EXPECT_EQ(Lint({{"NCCL_OOB_NET_IFNAME", "eth0"}}, old).size(), 1u);
  old.nccl_version = "2.23.4";
  EXPECT_TRUE(Lint({{"NCCL_OOB_NET_IFNAME", "eth0"}}, old).empty());
}

TEST(LintTest, ComparesDevicesByPrefixAsNcclDoes) {
  LintContext node;
  node.interfaces = {"lo", "eth0", "bond0"};
  node.hcas = {"mlx5_0", "mlx5_1"};
  EXPECT_TRUE(Lint({{"NCCL_SOCKET_IFNAME", "eth"}}, node).empty());
  EXPECT_EQ(Lint({{"NCCL_SOCKET_IFNAME", "=eth"}}, node).size(), 1u);
  EXPECT_TRUE(Lint({{"NCCL_SOCKET_IFNAME", "^docker"}}, node).empty());
  EXPECT_EQ(Lint({{"NCCL_IB_HCA", "mlx5_0:1,mlx5_7:1"}}, node).size(), 1u);
}

TEST(LintTest, RefusesAnUnknownDebugLevel) {
  EXPECT_EQ(Lint({{"NCCL_DEBUG", "VERBOSE"}}).size(), 1u);
  EXPECT_TRUE(Lint({{"NCCL_DEBUG", "info"}}).empty());
}

TEST(EnvironmentInTest, TakesTheAssignmentsInFrontOfACommand) {
  const Environment environment =
      EnvironmentIn("# cmd: NCCL_DEBUG=INFO A='b' torchrun --nnodes=2 B=1");
  EXPECT_EQ(environment.size(), 2u);
  EXPECT_EQ(environment.at("NCCL_DEBUG"), "INFO");
  EXPECT_EQ(environment.at("A"), "b");
}

}  // namespace
}  // namespace zs
