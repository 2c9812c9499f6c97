#include "results/report/gpu_state.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace zs::results {
namespace {

GpuSample Busy(double mhz, const std::string& reasons = "") {
  return {.util_pct = 98, .sm_clock_mhz = mhz, .throttle_reasons = reasons};
}

GpuSample At(int64_t step, double mhz) {
  GpuSample sample = Busy(mhz);
  sample.step = step;
  return sample;
}

TEST(GpuStateTest, ThrottlingIsAShareOfTheSamples) {
  const GpuState state = GpuStateOf(
      std::vector<GpuSample>{Busy(1700, "sw_power_cap+hw_slowdown"), Busy(1750),
                             Busy(1800, "sw_power_cap")});
  EXPECT_EQ(state.sm_clock_mhz, 1750);
  EXPECT_DOUBLE_EQ(*state.power_capped, 2.0 / 3);
  EXPECT_FALSE(GpuStateOf({}).sm_clock_mhz.has_value());
  EXPECT_FALSE(GpuStateOf({}).power_capped.has_value());
}

// A GPU boosts to 1980 MHz before it has work and is held at 1470 MHz by its
// power cap when it has: that is no drift.
TEST(GpuStateTest, OnlySamplesAtWorkInTheWindowCount) {
  GpuSample idle = {.util_pct = 3, .sm_clock_mhz = 1980};
  idle.step = 7;
  GpuSample unknown_step = Busy(1500);
  GpuSample unknown_load = {.sm_clock_mhz = 1490};
  unknown_load.step = 10;
  const std::vector<GpuSample> at_work =
      SamplesAtWork({At(0, 1980), At(5, 1410), At(6, 1470), idle, unknown_step,
                     unknown_load, At(11, 1800)},
                    {.first = 6, .last = 10});
  std::vector<double> clocks;
  for (const GpuSample& sample : at_work) {
    clocks.push_back(*sample.sm_clock_mhz);
  }
  EXPECT_EQ(clocks, (std::vector<double>{1470, 1500, 1490}));
}

TEST(GpuStateTest, AnotherClockIsUnfair) {
  const GpuState fast{
      .sm_clock_mhz = 1750, .power_cap_w = 700, .power_capped = 0.1};
  const GpuState slow{
      .sm_clock_mhz = 1500, .power_cap_w = 500, .power_capped = 0.9};
  const auto differences = GpuDifferences("z1", fast, slow);
  ASSERT_EQ(differences.size(), 3u);
  EXPECT_EQ(differences[0].path, "gpu.sm_clock_mhz");
  EXPECT_EQ(differences[0].baseline, "1750.00");
  EXPECT_TRUE(differences[0].unfair);
  EXPECT_EQ(differences[1].path, "gpu.power_cap_w");
  EXPECT_TRUE(differences[1].unfair);
  EXPECT_EQ(differences[2].path, "gpu.power_capped_share");
  EXPECT_FALSE(differences[2].unfair);
  EXPECT_TRUE(GpuDifferences("z1", fast, {1730, 700, 0.2}).empty());
}

TEST(GpuStateTest, WhatOneSideDoesNotKnowIsSaidAndNotUnfair) {
  const auto differences =
      GpuDifferences("z1", {.sm_clock_mhz = 1750, .power_capped = 0}, {});
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0].value, "unknown");
  EXPECT_FALSE(differences[0].unfair);
  EXPECT_TRUE(GpuDifferences("z1", {}, {}).empty());
}

}  // namespace
}  // namespace zs::results
