#include "runner/supervise/gpu_sampler.h"

#include <gtest/gtest.h>

#include <string>

namespace zs {
namespace {

// As nvidia-smi prints it for --format=csv,noheader,nounits.
constexpr char kLine[] =
    "3, 98, 612.50, 61, 1755, 122070, 700.00, 0, 0x0000000000000004";

TEST(GpuSamplerTest, ReadsALine) {
  const auto sample = ParseGpuLine(kLine);
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(sample->gpu, 3);
  EXPECT_EQ(sample->util_pct, 98);
  EXPECT_EQ(sample->power_w, 612.5);
  EXPECT_EQ(sample->temp_c, 61);
  EXPECT_EQ(sample->sm_clock_mhz, 1755);
  EXPECT_EQ(sample->mem_used_bytes, int64_t{122070} * 1048576);
  EXPECT_EQ(sample->power_cap_w, 700);
  EXPECT_EQ(sample->ecc_errors, 0);
  EXPECT_EQ(sample->throttle_reasons, "sw_power_cap");
}

TEST(GpuSamplerTest, WhatTheDriverDoesNotKnowIsAbsent) {
  const auto sample = ParseGpuLine(
      "0, [N/A], [Not Supported], 35, [Unknown Error], 12, [N/A], [N/A], "
      "[N/A]");
  ASSERT_TRUE(sample.has_value());
  EXPECT_FALSE(sample->util_pct.has_value());
  EXPECT_FALSE(sample->power_w.has_value());
  EXPECT_EQ(sample->temp_c, 35);
  EXPECT_FALSE(sample->sm_clock_mhz.has_value());
  EXPECT_FALSE(sample->power_cap_w.has_value());
  EXPECT_FALSE(sample->ecc_errors.has_value());
  EXPECT_EQ(sample->throttle_reasons, "");
}

TEST(GpuSamplerTest, OtherLinesAreNoSamples) {
  for (const std::string line :
       {"", "0", "No devices were found", "0, 1, 2, 3, 4, 5, 6, 7",
        "0, 1, 2, 3, 4, 5, 6, 7, 0x0, 9", "-1, 1, 2, 3, 4, 5, 6, 7, 0x0",
        "9999999999999999999, 1, 2, 3, 4, 5, 6, 7, 0x0",
        "Field \"clocks_event_reasons.active\" is not a valid field to query.",
        ",,,,,,,,"}) {
    EXPECT_FALSE(ParseGpuLine(line).has_value()) << line;
  }
}

TEST(GpuSamplerTest, NamesSeveralReasonsAndLeavesOutIdle) {
  EXPECT_EQ(ThrottleReasons(0x1), "");
  EXPECT_EQ(ThrottleReasons(0x1 | 0x40 | 0x8),
            "hw_slowdown,hw_thermal_slowdown");
}

TEST(GpuSamplerTest, LinesMayBeCutAnywhere) {
  const std::string text = std::string(kLine) + "\r\n" + kLine + "\n";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    GpuSampler sampler(5);
    ASSERT_TRUE(sampler.NextCommand().has_value());
    auto samples = sampler.Feed(text.substr(0, cut), 1000);
    const auto more = sampler.Feed(text.substr(cut), 2000);
    samples.insert(samples.end(), more.begin(), more.end());
    ASSERT_EQ(samples.size(), 2U) << cut;
    EXPECT_EQ(samples[0].node_rank, 5);
    EXPECT_EQ(samples[1].gpu, 3);
    EXPECT_TRUE(sampler.answered());
  }
}

TEST(GpuSamplerTest, AsksInAnotherWayWhereADriverDoesNotKnowAName) {
  GpuSampler sampler(0);
  const auto first = sampler.NextCommand();
  EXPECT_TRUE(sampler.Feed("Field \"x\" is not a valid field\n", 1).empty());
  const auto second = sampler.NextCommand();
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(second.has_value());
  EXPECT_NE(*first, *second);
  EXPECT_FALSE(sampler.answered());
  EXPECT_EQ(sampler.last_words(), "Field \"x\" is not a valid field");
  EXPECT_FALSE(sampler.NextCommand().has_value());
}

TEST(GpuSamplerTest, AnEndlessLineTakesNoMemory) {
  GpuSampler sampler(0);
  ASSERT_TRUE(sampler.NextCommand().has_value());
  const std::string much(1 << 20, '7');
  EXPECT_TRUE(sampler.Feed(much, 1).empty());
  EXPECT_TRUE(sampler.Feed(much + "\n", 1).empty());
  EXPECT_LT(sampler.last_words().size(), size_t{4096});
  EXPECT_EQ(sampler.Feed(std::string(kLine) + "\n", 1).size(), 1U);
}

}  // namespace
}  // namespace zs
