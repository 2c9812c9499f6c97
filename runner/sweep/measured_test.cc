#include "runner/sweep/measured.h"

#include <limits>

#include "gtest/gtest.h"

namespace zs {
namespace {

// Two ranks; steps of 100 ms, the first 1000 ms; 50 tokens each.
RunRecord Record(int64_t steps) {
  RunRecord record;
  record.effective.world_size = 2;
  record.effective.zero_stage = 1;
  for (int rank = 0; rank < 2; ++rank) {
    record.ends[rank] = {.rank = rank, .parameters_sha256 = "abc"};
    record.mem_peak_bytes[rank] = {.total = 100 + rank};
  }
  for (int64_t step = 1; step <= steps; ++step) {
    record.steps.push_back({.step = step,
                            .loss = 3,
                            .grad_norm = 1,
                            .tokens = 50,
                            .step_ms = step == 1 ? 1000.0 : 100.0});
  }
  return record;
}

TEST(MeasuredTest, RatesAreTokensOverTimeAfterTheWarmUp) {
  const Measured measured = Measure(Record(11), 1);
  EXPECT_EQ(measured.steps, 11);
  EXPECT_DOUBLE_EQ(*measured.tokens_per_s, 500);  // 10 x 50 tokens in 1 s
  EXPECT_DOUBLE_EQ(*measured.tokens_per_s_per_rank, 250);
  EXPECT_DOUBLE_EQ(*measured.step_ms_median, 100);
  EXPECT_EQ(measured.mem_peak_bytes, 101);
  EXPECT_EQ(measured.zero_stage, 1);
  EXPECT_EQ(measured.parameters_sha256, "abc");
  EXPECT_FALSE(measured.ranks_differ);
  // With the first step in it: 550 tokens in 2 s.
  EXPECT_DOUBLE_EQ(*Measure(Record(11), 0).tokens_per_s, 275);
}

TEST(MeasuredTest, NothingToldIsUnknownNotZero) {
  const Measured measured = Measure({}, 0);
  EXPECT_EQ(measured.steps, 0);
  EXPECT_FALSE(measured.tokens_per_s.has_value());
  EXPECT_FALSE(measured.zero_stage.has_value());
  EXPECT_FALSE(measured.mem_peak_bytes.has_value());
  EXPECT_FALSE(measured.final_loss.has_value());
  EXPECT_FALSE(measured.ranks_differ);
}

TEST(MeasuredTest, RanksThatDisagreeMakeAValueUnknown) {
  RunRecord record = Record(2);
  record.ends[1].parameters_sha256 = "abd";
  const Measured measured = Measure(record, 0);
  EXPECT_FALSE(measured.parameters_sha256.has_value());
  EXPECT_TRUE(measured.ranks_differ);
}

TEST(MeasuredTest, WhatARankHasNotToldIsUnknown) {
  RunRecord record = Record(2);
  record.ends.erase(1);
  record.mem_peak_bytes[1].total.reset();
  Measured measured = Measure(record, 0);
  EXPECT_FALSE(measured.parameters_sha256.has_value());
  EXPECT_EQ(measured.ranks_ended, 1);
  EXPECT_FALSE(measured.ranks_differ);
  EXPECT_FALSE(measured.mem_peak_bytes.has_value());
  // How many ranks there are must be known for that.
  record = Record(2);
  record.effective.world_size.reset();
  measured = Measure(record, 0);
  EXPECT_FALSE(measured.parameters_sha256.has_value());
  EXPECT_FALSE(measured.mem_peak_bytes.has_value());
}

TEST(MeasuredTest, ALossThatAnotherRankToldIsInvalidToo) {
  RunRecord record = Record(2);
  record.invalid_loss = "step 1: loss nan (rank 1)";
  EXPECT_EQ(*Measure(record, 0).invalid_loss, "step 1: loss nan (rank 1)");
}

TEST(MeasuredTest, ARateNeedsTheTokensOfEveryStep) {
  RunRecord record = Record(5);
  record.steps[4].tokens.reset();
  record.steps[2].step_ms.reset();  // left out of the statistics
  const Measured measured = Measure(record, 1);
  EXPECT_FALSE(measured.tokens_per_s.has_value());
  EXPECT_DOUBLE_EQ(*measured.step_ms_median, 100);
  EXPECT_EQ(measured.steps, 5);
}

TEST(MeasuredTest, MarkedStepsAreNotInTheStatistics) {
  RunRecord record = Record(5);
  record.steps[0].mark = "first";  // the one of 1000 ms
  EXPECT_DOUBLE_EQ(*Measure(record, 0).tokens_per_s, 500);
}

TEST(MeasuredTest, WhereRowsSpeakForSeveralStepsTheLastOneCounts) {
  RunRecord record = Record(3);
  record.every_step = false;
  record.steps[1].step = 10;
  record.steps[2].step = 20;
  EXPECT_EQ(Measure(record, 0).steps, 20);
  record.steps[0].step = 0;
  record.steps[2].step = 19;
  EXPECT_EQ(Measure(record, 0).steps, 20);
}

TEST(MeasuredTest, StepsCountUpToTheFirstGap) {
  RunRecord record = Record(5);
  record.steps.erase(record.steps.begin() + 3);
  EXPECT_EQ(Measure(record, 0).steps, 3);
  record = Record(5);
  record.steps[3].step = 3;  // told twice
  EXPECT_EQ(Measure(record, 0).steps, 3);
}

TEST(MeasuredTest, ALossThatIsNoNumberIsNamed) {
  RunRecord record = Record(5);
  record.steps[3].loss = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(*Measure(record, 0).invalid_loss, "step 4: loss nan");
  record = Record(5);
  record.steps[2].grad_norm = std::numeric_limits<double>::infinity();
  EXPECT_EQ(*Measure(record, 0).invalid_loss, "step 3: gradient norm inf");
}

}  // namespace
}  // namespace zs
