#include "runner/host/relevant_variable.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(RelevantVariableTest, TakesVariablesThatMayChangeAResult) {
  EXPECT_TRUE(IsRelevantVariable("NCCL_IB_HCA"));
  EXPECT_TRUE(IsRelevantVariable("LD_PRELOAD"));
  EXPECT_FALSE(IsRelevantVariable("LD_PRELOAD_MORE"));
  EXPECT_FALSE(IsRelevantVariable("HOME"));
  ::setenv("GLOO_SOCKET_IFNAME", "eth0=x", 1);
  const auto variables = RelevantVariables();
  EXPECT_EQ(variables.at("GLOO_SOCKET_IFNAME"), "eth0=x");
  EXPECT_FALSE(variables.contains("PATH"));
}

TEST(RelevantVariableTest, OfAListTheLastOneCounts) {
  EXPECT_EQ(
      RelevantVariables({"OMP_NUM_THREADS=1", "PWD=/", "OMP_NUM_THREADS=2"}),
      (std::map<std::string, std::string>{{"OMP_NUM_THREADS", "2"}}));
}

TEST(RelevantVariableTest, WhatDiffersBetweenTerminalsIsOfTheJob) {
  EXPECT_TRUE(IsOfTheJob("SLURM_JOB_ID"));
  EXPECT_FALSE(IsOfTheJob("CUDA_VISIBLE_DEVICES"));
}

}  // namespace
}  // namespace zs
