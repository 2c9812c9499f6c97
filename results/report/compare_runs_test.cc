// Which runs a comparison takes, by names, sweeps and promotion.
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/report/compare_fixture.h"
#include "results/report/sample_record.h"

namespace zs::results {
namespace {

TEST_F(CompareTest, NewestValidRunOfTheKeyCounts) {
  std::vector<SampleRun> samples = ThreeStages();
  AddAll(samples);
  record_.BeginSweep("qwen");
  const int64_t newer = record_.AddRun(samples[1]);
  record_.BeginSweep("qwen");
  SampleRun broken = samples[1];
  broken.measurement = MeasurementState::kNoData;
  record_.AddRun(broken);
  EXPECT_EQ(Compared({"z0", "z1"}).experiments[1].run_id, newer);
}

TEST_F(CompareTest, TheNewestSweepWithAllNamesIsTaken) {
  AddAll(ThreeStages());
  record_.BeginSweep("other");
  SampleRun other = ThreeStages()[0];
  other.step_ms = 50;
  other.global_batch = 4;
  record_.AddRun(other);
  EXPECT_NEAR(*Compared({"z0", "z1"}).experiments[1].ratio.value, 1.03, 1e-12);
  CompareOptions options;
  options.sweep = "other";
  EXPECT_STATUS(Compare(record_.reader(), {"z0", "z1"}, options),
                StatusCode::kNotFound, "no experiment is called 'z1'");
}

TEST_F(CompareTest, PrefixesArePairedByTheirEnds) {
  std::vector<SampleRun> samples;
  for (const int ranks : {1, 2}) {
    for (SampleRun sample : ThreeStages()) {
      sample.name += "_r" + std::to_string(ranks);
      sample.world_size = ranks;
      samples.push_back(sample);
    }
  }
  AddAll(samples);
  const Comparison c = Compared({"z0", "z1", "z2"});
  EXPECT_TRUE(c.measured);
  EXPECT_EQ(NamesOf(c),
            (Names{"z0_r1", "z1_r1", "z2_r1", "z0_r2", "z1_r2", "z2_r2"}));
  EXPECT_EQ(c.experiments[4].baseline, "z0_r2");
  EXPECT_NEAR(*c.experiments[4].ratio.value, 1.03, 1e-12);
  EXPECT_EQ(c.experiments[0].comm_bytes_per_step, 0);  // a single rank
}

TEST_F(CompareTest, PromotedRunsAreBaselinesOfTheirNames) {
  AddAll(ThreeStages());
  CompareOptions options;
  options.baseline = kPromoted;
  EXPECT_STATUS(Compare(record_.reader(), {"z1"}, options),
                StatusCode::kNotFound, "no run of 'z1' was promoted");
  EXPECT_OK(
      record_.store().PromoteBaseline({2, "first figures", "me@here", 1}));
  Comparison c = Compared({"z1"}, options);
  EXPECT_FALSE(c.measured);
  EXPECT_NE(c.verdict.find("has no run since run 2 was promoted"),
            std::string::npos)
      << c.verdict;
  record_.BeginSweep("qwen");
  SampleRun slower = ThreeStages()[1];
  slower.step_ms = 110;
  record_.AddRun(slower);
  c = Compared({"z1"}, options);
  EXPECT_TRUE(c.measured);
  EXPECT_EQ(NamesOf(c), (Names{"z1@2", "z1"}));
  EXPECT_NEAR(*c.experiments[1].ratio.value, 100 / 1.03 / 110, 1e-9);
  EXPECT_EQ(c.experiments[1].ratio.word, "SLOWER");
  ASSERT_EQ(c.notes.size(), 1u);
  EXPECT_EQ(c.notes[0], "z1@2: promoted by me@here: first figures");
}

// Raising `repeats` after a promotion gives the promoted run's key more runs.
TEST_F(CompareTest, ThePromotedRunIsNotAmongThoseSince) {
  SampleRun sample = ThreeStages()[1];
  const int64_t experiment = record_.AddExperiment(sample);
  const int64_t promoted = record_.AddRunOf(experiment, sample);
  EXPECT_OK(record_.store().PromoteBaseline({promoted, "good", "me@here", 1}));
  record_.BeginSweep("qwen");
  const int64_t again = record_.AddExperiment(sample);
  sample.step_ms = 110;
  std::vector<int64_t> since;
  for (const int repeat : {2, 3}) {
    sample.repeat = repeat;
    since.push_back(record_.AddRunOf(again, sample));
  }
  CompareOptions options;
  options.baseline = kPromoted;
  const Comparison c = Compared({"z1"}, options);
  ASSERT_EQ(c.experiments.size(), 2u);
  EXPECT_EQ(c.experiments[0].run_ids, std::vector<int64_t>{promoted});
  EXPECT_EQ(c.experiments[1].run_ids, since);
}

TEST_F(CompareTest, APromotionOfTheSameSweepCounts) {
  const int64_t here = record_.AddRun(ThreeStages()[1]);
  record_.BeginSweep("other");
  SampleRun elsewhere = ThreeStages()[1];
  elsewhere.global_batch = 16;
  const int64_t there = record_.AddRun(elsewhere);
  EXPECT_OK(record_.store().PromoteBaseline({here, "good", "me@here", 1}));
  EXPECT_OK(record_.store().PromoteBaseline({there, "good", "me@here", 2}));
  CompareOptions options;
  options.baseline = kPromoted;
  options.sweep = "qwen";
  EXPECT_EQ(Compared({"z1"}, options).experiments[0].name,
            "z1@" + std::to_string(here));
  options.sweep = "other";
  EXPECT_EQ(Compared({"z1"}, options).experiments[0].name,
            "z1@" + std::to_string(there));
}

TEST_F(CompareTest, OnlyAMeasurementCanBePromotedAndForAReason) {
  SampleRun broken = ThreeStages()[0];
  broken.measurement = MeasurementState::kIncomplete;
  record_.AddRun(broken);
  EXPECT_STATUS(record_.store().PromoteBaseline({1, "why", "me", 1}),
                StatusCode::kFailedPrecondition, "no valid measurement");
  EXPECT_STATUS(record_.store().PromoteBaseline({7, "why", "me", 1}),
                StatusCode::kNotFound, "no run 7");
  AddAll({ThreeStages()[1]});
  EXPECT_STATUS(record_.store().PromoteBaseline({2, "", "me", 1}),
                StatusCode::kInvalidArgument, "reason");
}

}  // namespace
}  // namespace zs::results
