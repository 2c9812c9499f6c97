#include "results/report/whole_sweep.h"

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/report/sample_record.h"

namespace zs::results {
namespace {

TEST(WholeSweepTest, GroupsByRanksWithTheLowestStageFirst) {
  SampleRecord record;
  for (SampleRun sample : ThreeStages()) {
    record.AddRun(sample);
    sample.name += "_r4";
    sample.world_size = 4;
    record.AddRun(sample);
  }
  const auto whole = CompareSweep(record.reader(), record.sweep_id(), {});
  ASSERT_OK(whole);
  ASSERT_EQ(whole->experiments.size(), 6u);
  EXPECT_EQ(whole->experiments[2].baseline, "z0");
  EXPECT_EQ(whole->experiments[3].name, "z0_r4");
  EXPECT_EQ(whole->experiments[5].baseline, "z0_r4");
  EXPECT_TRUE(whole->measured);
  EXPECT_NE(whole->verdict.find("z1_r4 is"), std::string::npos);
}

// Ten sizes are ten chances for a word that is none.
TEST(WholeSweepTest, WordsAreCorrectedOverAllGroups) {
  SampleRecord record;
  for (int ranks = 2; ranks <= 11; ++ranks) {
    for (SampleRun sample : ThreeStages()) {
      if (sample.zero < 2) {
        sample.name += "_r" + std::to_string(ranks);
        sample.world_size = ranks;
        record.AddRun(sample);
      }
    }
  }
  const auto whole = CompareSweep(record.reader(), record.sweep_id(), {});
  ASSERT_OK(whole);
  const auto one = Compare(record.reader(), {"z0_r2", "z1_r2"}, {});
  ASSERT_OK(one);
  ASSERT_TRUE(one->experiments[1].ratio.p_value);
  // Holm's smallest p-value of ten that are alike is ten times each.
  EXPECT_NEAR(*whole->experiments[1].ratio.p_value,
              std::min(1.0, 10 * *one->experiments[1].ratio.p_value), 1e-12);
}

TEST(WholeSweepTest, AnExperimentAloneIsShownAndComparedWithNobody) {
  SampleRecord record;
  record.AddRun(ThreeStages()[0]);
  const auto whole = CompareSweep(record.reader(), record.sweep_id(), {});
  ASSERT_OK(whole);
  EXPECT_EQ(whole->experiments.size(), 1u);
  EXPECT_TRUE(whole->experiments[0].alone);
  EXPECT_TRUE(whole->measured);
  EXPECT_TRUE(whole->verdict.starts_with("MEASURED: z0: ")) << whole->verdict;
  EXPECT_NE(whole->verdict.find("Nothing is compared"), std::string::npos);
}

TEST(WholeSweepTest, WithoutAValidRunNothingIsMeasured) {
  SampleRecord record;
  SampleRun sample = ThreeStages()[0];
  sample.measurement = MeasurementState::kNoData;
  record.AddRun(sample);
  const auto whole = CompareSweep(record.reader(), record.sweep_id(), {});
  ASSERT_OK(whole);
  EXPECT_FALSE(whole->measured);
  EXPECT_NE(whole->verdict.find("z0 has no valid run"), std::string::npos);
}

TEST(WholeSweepTest, WhatIsWrongStandsBeforeWhatIsBest) {
  SampleRecord record;
  for (SampleRun sample : ThreeStages()) {
    record.AddRun(sample);
    sample.name += "_r4";
    sample.world_size = 4;
    sample.bytes_per_step *= sample.zero == 1 ? 2 : 1;
    record.AddRun(sample);
  }
  const auto whole = CompareSweep(record.reader(), record.sweep_id(), {});
  ASSERT_OK(whole);
  EXPECT_TRUE(whole->verdict.starts_with("TRAFFIC: z1_r4 sends 2.00x"))
      << whole->verdict;
  int cautions = 0;
  for (const VerdictLine& line : whole->verdict_lines) {
    cautions += line.kind == VerdictKind::kCaution ? 1 : 0;
  }
  EXPECT_EQ(cautions, 1);
}

TEST(WholeSweepTest, AnEmptySweepIsNotFound) {
  SampleRecord record;
  EXPECT_EQ(
      CompareSweep(record.reader(), record.sweep_id(), {}).status().code(),
      StatusCode::kNotFound);
}

}  // namespace
}  // namespace zs::results
