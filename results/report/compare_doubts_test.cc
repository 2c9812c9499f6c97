// What a comparison must not say, and what it must say first.
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/report/compare_fixture.h"
#include "results/report/sample_record.h"

namespace zs::results {
namespace {

TEST_F(CompareTest, WhatNobodyKnowsIsNotEqual) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[0].tells_loss = false;
  samples[1].tells_loss = false;
  samples[2].world_size = 0;
  AddAll(samples);
  const Comparison c = Compared({"z0", "z1", "z2"});
  EXPECT_FALSE(c.measured);
  EXPECT_EQ(c.verdict.find("BEST"), std::string::npos) << c.verdict;
  EXPECT_TRUE(c.experiments[1].ratio.why.starts_with(
      "not compared, since losses unknown"))
      << c.experiments[1].ratio.why;
  EXPECT_TRUE(
      c.experiments[2].ratio.why.starts_with("the world size of z2 is unknown"))
      << c.experiments[2].ratio.why;
}

TEST_F(CompareTest, LossesThatDifferAreSaidEvenSo) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].loss_offset = 1;
  AddAll(samples);
  CompareOptions options;
  options.even_so = true;
  const Comparison c = Compared({"z0", "z1"}, options);
  EXPECT_TRUE(c.verdict.starts_with(
      "NOT A FAIR COMPARISON (--even-so): z1: losses DIFFER by up to"))
      << c.verdict;
}

TEST_F(CompareTest, ARunThatFailedIsSaidAndNotTheBest) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].verdict = Verdict::kFail;
  AddAll(samples);
  const Comparison c = Compared({"z0", "z1", "z2"});
  EXPECT_TRUE(c.verdict.starts_with("z1: run 2 failed: too slow."))
      << c.verdict;
  EXPECT_NE(c.verdict.find("BEST: z0, nothing that was compared is faster (z1: "
                           "unknown)."),
            std::string::npos)
      << c.verdict;
  EXPECT_TRUE(c.experiments[1].ratio.value);
}

TEST_F(CompareTest, ABaselineThatFailedBeatsNobody) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[0].verdict = Verdict::kFail;
  AddAll(samples);
  EXPECT_EQ(Compared({"z0", "z1", "z2"}).verdict.find("BEST"),
            std::string::npos);
}

TEST_F(CompareTest, AnAttemptThatCrashedSinceIsSaid) {
  std::vector<SampleRun> samples = ThreeStages();
  AddAll(samples);
  samples[1].measurement = MeasurementState::kNoData;
  record_.AddRunOf(record_.reader().Run(2)->experiment_id, samples[1]);
  const Comparison c = Compared({"z0", "z1"});
  EXPECT_TRUE(c.verdict.starts_with(
      "z1: the newest attempt gave no measurement: run 4 was exited, no_data"))
      << c.verdict;
}

TEST_F(CompareTest, UnknownTrafficIsNotZero) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].bytes_per_step = -1;
  AddAll(samples);
  const Comparison c = Compared({"z0", "z1"});
  EXPECT_FALSE(c.experiments[1].comm_bytes_per_step);
  EXPECT_EQ(c.verdict.find("TRAFFIC"), std::string::npos) << c.verdict;
}

TEST_F(CompareTest, AClockThatStoodStillIsTheReason) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].step_ms = 0;
  AddAll(samples);
  EXPECT_NE(Compared({"z0", "z1"})
                .experiments[1]
                .ratio.why.find("a step of z1 took no time at all"),
            std::string::npos);
}

}  // namespace
}  // namespace zs::results
