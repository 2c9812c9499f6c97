#include "runner/sweep/other_cpu.h"

#include <gtest/gtest.h>

namespace zs {
namespace {

RankExit Ended(const std::string& node, double own_s, double busy_s,
               double all_s) {
  RankExit exit;
  exit.node = node;
  exit.ended = true;
  exit.user_cpu_s = 0.75 * own_s;
  exit.system_cpu_s = 0.25 * own_s;
  exit.host_busy_cpu_s = busy_s;
  exit.host_all_cpu_s = all_s;
  return exit;
}

TEST(OtherCpuTest, WhatIsNotOfTheRanksIsOfOthers) {
  // Two ranks of 10 s of processor each; of 40 s, 28 were busy.
  const std::vector<RankExit> ranks = {
      Ended("a", 10, 27, 39), Ended("a", 10, 28, 40), Ended("b", 30, 30, 40)};
  EXPECT_DOUBLE_EQ(OtherCpuPct(ranks, "a").value(), 20);
  EXPECT_DOUBLE_EQ(OtherCpuPct(ranks, "b").value(), 0);
  // Rounding may make a rank's time more than what the host counted.
  EXPECT_DOUBLE_EQ(OtherCpuPct({Ended("a", 11, 10, 20)}, "a").value(), 0);
}

TEST(OtherCpuTest, UnknownStaysUnknown) {
  EXPECT_FALSE(OtherCpuPct({}, "a").has_value());
  EXPECT_FALSE(OtherCpuPct({Ended("b", 1, 2, 3)}, "a").has_value());
  EXPECT_FALSE(OtherCpuPct({Ended("a", 1, 0, 0)}, "a").has_value());
  RankExit lost;
  lost.node = "a";
  EXPECT_FALSE(OtherCpuPct({Ended("a", 1, 2, 3), lost}, "a").has_value());
}

}  // namespace
}  // namespace zs
