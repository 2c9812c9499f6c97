#include "results/report/compare.h"

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/report/compare_fixture.h"
#include "results/report/sample_record.h"

namespace zs::results {
namespace {

TEST_F(CompareTest, FindsWhatWasPutIn) {
  AddAll(ThreeStages());
  const Comparison c = Compared({"z0", "z1", "z2"});
  EXPECT_TRUE(c.measured);
  EXPECT_EQ(c.baseline, "z0");
  ASSERT_EQ(NamesOf(c), (Names{"z0", "z1", "z2"}));
  const ComparedExperiment& z1 = c.experiments[1];
  EXPECT_EQ(z1.zero_requested, 1);
  EXPECT_EQ(z1.zero_effective, 1);
  EXPECT_EQ(z1.window_first, 6);  // after five steps of warm-up
  EXPECT_EQ(z1.window_last, 30);
  EXPECT_EQ(z1.n, 25);
  // The same wobble on both sides: exactly 1.03.
  EXPECT_NEAR(*z1.ratio.value, 1.03, 1e-12);
  EXPECT_EQ(z1.ratio.word, "FASTER");
  EXPECT_NEAR(*z1.step_ms_median, 100 / 1.03, 1.0);
  EXPECT_DOUBLE_EQ(*z1.tokens_per_s, 1024 * 1000 / *z1.step_ms_median);
  EXPECT_DOUBLE_EQ(*z1.tokens_per_s_per_gpu, *z1.tokens_per_s / 2);
  EXPECT_EQ(z1.comm_bytes_per_step, 1000000);
  EXPECT_EQ(z1.comm_theory_bytes_per_step, 1000000);
  EXPECT_EQ(z1.mem_peak->total, 16000000);
  EXPECT_EQ(z1.loss_equal, true);
  EXPECT_EQ(z1.nccl_health, "unknown");
  EXPECT_EQ(c.experiments[2].ratio.word, "SLOWER");
  EXPECT_TRUE(c.notes.empty()) << c.notes[0];
  EXPECT_EQ(c.verdict.find("nan"), std::string::npos);
  EXPECT_NE(c.verdict.find("z1 is 1.03x z0 ["), std::string::npos) << c.verdict;
  EXPECT_NE(c.verdict.find("] FASTER, same losses, optimizer memory 1/2; z2"),
            std::string::npos)
      << c.verdict;
}

TEST_F(CompareTest, BaselineCanBeAnother) {
  AddAll(ThreeStages());
  CompareOptions options;
  options.baseline = "z1";
  const Comparison c = Compared({"z0", "z2"}, options);
  EXPECT_EQ(NamesOf(c), (Names{"z1", "z0", "z2"}));
  EXPECT_NEAR(*c.experiments[1].ratio.value, 1 / 1.03, 1e-12);
}

TEST_F(CompareTest, WindowCanBeGiven) {
  AddAll(ThreeStages());
  CompareOptions options;
  options.window = StepWindow{11, 20};
  const Comparison c = Compared({"z0", "z1"}, options);
  EXPECT_EQ(c.experiments[0].window_first, 11);
  EXPECT_EQ(c.experiments[0].window_last, 20);
  EXPECT_EQ(c.experiments[0].n, 10);
}

TEST_F(CompareTest, SameSpeedIsSame) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].step_ms = 100;
  samples[0].noise = samples[1].noise = 0.001;
  AddAll(samples);
  EXPECT_EQ(Compared({"z0", "z1"}).experiments[1].ratio.word, "SAME");
}

TEST_F(CompareTest, NoisyRunsAreUndecided) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[0].noise = samples[1].noise = 0.3;
  AddAll(samples);
  const Comparison c = Compared({"z0", "z1"});
  EXPECT_EQ(c.experiments[1].ratio.word, "UNDECIDED");
  EXPECT_NE(c.experiments[1].ratio.why.find("would decide"), std::string::npos)
      << c.experiments[1].ratio.why;
  EXPECT_TRUE(c.measured);
}

TEST_F(CompareTest, OtherStageThanAskedIsSaidFirst) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].zero_effective = 0;
  AddAll(samples);
  const Comparison c = Compared({"z0", "z1"});
  EXPECT_TRUE(
      c.verdict.starts_with("z1 asked for ZeRO stage 1 and ran stage 0."))
      << c.verdict;
}

TEST_F(CompareTest, TrafficOfAnotherStageIsSaid) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].bytes_per_step = 1500000;
  AddAll(samples);
  EXPECT_NE(
      Compared({"z0", "z1"})
          .verdict.find("TRAFFIC: z1 sends 1.50x the bytes that theory gives"),
      std::string::npos);
}

// As many bytes as stage 1 needs, but by the operation of stage 0.
TEST_F(CompareTest, AStageThatDoesAnothersTrafficIsSaid) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].op = "reduce_scatter";
  AddAll(samples);
  const Comparison c = Compared({"z0", "z1"});
  EXPECT_TRUE(c.verdict.starts_with(
      "TRAFFIC: z1 does not do its stage's traffic: all_reduce 0.00 MB a step "
      "(theory 1.00), reduce_scatter 1.00 MB a step (theory 0.00)."))
      << c.verdict;
}

TEST_F(CompareTest, SpeedAtOtherLossesIsNotCompared) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].loss_offset = 1e-3;
  AddAll(samples);
  Comparison c = Compared({"z0", "z1"});
  EXPECT_EQ(c.experiments[1].loss_equal, false);
  EXPECT_EQ(c.experiments[1].ratio.value, std::nullopt);
  EXPECT_FALSE(c.measured);
  EXPECT_NE(c.verdict.find("z1 against z0: not compared, since losses DIFFER "
                           "by up to 0.027%, from step 1 on"),
            std::string::npos)
      << c.verdict;
  CompareOptions options;
  options.even_so = true;
  c = Compared({"z0", "z1"}, options);
  EXPECT_NEAR(*c.experiments[1].ratio.value, 1.03, 1e-12);
  EXPECT_TRUE(c.even_so);
  EXPECT_NE(c.verdict.find("losses DIFFER"), std::string::npos);
}

TEST_F(CompareTest, RoundingIsToleratedWhereItIsToBeExpected) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].loss_offset = 1e-3;
  samples[1].extra_spec = R"(,"compare":{"loss_tolerance":0.001})";
  AddAll(samples);
  const Comparison c = Compared({"z0", "z1"});
  EXPECT_EQ(c.experiments[1].ratio.word, "FASTER");
  EXPECT_NE(c.verdict.find("losses equal within 0.1%"), std::string::npos)
      << c.verdict;
}

TEST_F(CompareTest, UnfairPairsAreNotCompared) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].global_batch = 16;
  AddAll(samples);
  Comparison c = Compared({"z0", "z1"});
  EXPECT_FALSE(c.measured);
  EXPECT_NE(c.verdict.find("z1 against z0: not compared, since "
                           "train.global_batch differs too (--even-so"),
            std::string::npos)
      << c.verdict;
  ASSERT_EQ(c.notes.size(), 1u);
  EXPECT_EQ(c.notes[0],
            "asked.train.global_batch differs (unfair): z0 8, z1 16");
  CompareOptions options;
  options.even_so = true;
  c = Compared({"z0", "z1"}, options);
  // Twice the tokens in the same time are twice the speed.
  EXPECT_NEAR(*c.experiments[1].ratio.value, 2 * 1.03, 1e-12);
  EXPECT_TRUE(
      c.verdict.starts_with("NOT A FAIR COMPARISON (--even-so): z1 "
                            "differs in train.global_batch."))
      << c.verdict;
}

TEST_F(CompareTest, OneRunASideDoesNotKnowTheNoiseBetweenRuns) {
  AddAll(ThreeStages());
  EXPECT_NE(Compared({"z0", "z1"})
                .verdict.find(
                    "One run a side: noise from run to run is not measured"),
            std::string::npos);
}

TEST_F(CompareTest, AllRepeatsCount) {
  for (SampleRun sample : ThreeStages()) {
    const int64_t experiment = record_.AddExperiment(sample);
    const double level = sample.step_ms;
    for (const double share : {0.98, 1.0, 1.02}) {
      sample.step_ms = level * share;
      record_.AddRunOf(experiment, sample);
      ++sample.repeat;
    }
  }
  const Comparison c = Compared({"z0", "z1"});
  const ComparedExperiment& z1 = c.experiments[1];
  EXPECT_EQ(z1.run_ids, (std::vector<int64_t>{4, 5, 6}));
  EXPECT_EQ(z1.run_id, 6);
  EXPECT_EQ(z1.n, 75);
  EXPECT_NEAR(*z1.ratio.value, 1.03, 1e-12);
  // Logarithms of 0.98, 1 and 1.02 have a standard deviation of 2%.
  EXPECT_NEAR(*z1.ratio.run_noise, 0.02, 0.002);
  EXPECT_EQ(z1.ratio.word, "UNDECIDED");  // 3% are not much then
  EXPECT_NE(z1.ratio.why.find("more repeats a side would decide (now 3)"),
            std::string::npos)
      << z1.ratio.why;
  EXPECT_EQ(c.verdict.find("One run a side"), std::string::npos);
}

TEST_F(CompareTest, OtherWorldSizesAreNotCompared) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].world_size = 4;
  AddAll(samples);
  const Comparison c = Compared({"z0", "z1"});
  EXPECT_FALSE(c.measured);
  EXPECT_EQ(c.experiments[1].ratio.value, std::nullopt);
  EXPECT_NE(c.verdict.find("world sizes differ (4 ranks, not 2)"),
            std::string::npos)
      << c.verdict;
}

TEST_F(CompareTest, MissingSideSaysWhatToRun) {
  AddAll({ThreeStages()[0]});
  SampleRun broken = ThreeStages()[1];
  broken.measurement = MeasurementState::kIncomplete;
  record_.AddRun(broken);
  const int64_t skipped = record_.AddExperiment(ThreeStages()[2]);
  EXPECT_OK(record_.store().SetNotRun(skipped, NotRun::kSkippedNeedFailed,
                                      "z1 failed"));
  const Comparison c = Compared({"z0", "z1", "z2"});
  EXPECT_FALSE(c.measured);
  EXPECT_EQ(c.experiments[1].missing,
            "has no valid run: run 2 was exited, incomplete (30 steps); run it "
            "again with --only z1");
  EXPECT_EQ(c.experiments[2].missing,
            "has not been run (need_failed: z1 failed); run it again with "
            "--only z2");
  EXPECT_EQ(c.verdict.find("nan"), std::string::npos);
}

TEST_F(CompareTest, TooFewStepsAreUndecided) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].steps = 9;  // four after the warm-up
  samples[2].steps = 3;  // none
  AddAll(samples);
  const Comparison c = Compared({"z0", "z1"});
  EXPECT_EQ(c.experiments[1].ratio.word, "UNDECIDED");
  EXPECT_EQ(c.experiments[1].ratio.lo, std::nullopt);
  EXPECT_NE(Compared({"z2"}).experiments[0].missing.find("no step"),
            std::string::npos);
}

TEST_F(CompareTest, TheFileMayFixTheWindow) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[0].extra_spec = samples[1].extra_spec =
      R"(,"compare":{"window":"21-28"})";
  AddAll(samples);
  Comparison c = Compared({"z0", "z1"});
  EXPECT_EQ(c.experiments[0].window_first, 21);
  EXPECT_EQ(c.experiments[0].window_last, 28);
  CompareOptions options;
  options.window = StepWindow{11, 20};
  c = Compared({"z0", "z1"}, options);
  EXPECT_EQ(c.experiments[0].window_last, 20);  // the command line wins
}

TEST_F(CompareTest, AMachineThatDriftsIsSaidFirst) {
  AddAll(ThreeStages());
  EXPECT_OK(record_.store().AddFindings(
      record_.sweep_id(), 0,
      {{.code = "sentinel_drift",
        .severity = Severity::kWarning,
        .message = "sentinel s: the machine drifts, +6.0%"}}));
  EXPECT_TRUE(
      Compared({"z0", "z1"})
          .verdict.starts_with(
              "DRIFT: sentinel s: the machine drifts, +6.0%. BEST: z1, "));
}

TEST_F(CompareTest, OneRunBesideOtherProgramsIsNotTrusted) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[0].other_cpu_pct = 48;
  AddAll(samples);
  const Comparison c = Compared({"z0", "z1"});
  EXPECT_EQ(c.experiments[1].ratio.word, "UNDECIDED");
  EXPECT_TRUE(
      c.verdict.starts_with("DISTURBED: other programs took 48% of the "
                            "processors while z0 ran"))
      << c.verdict;
  EXPECT_EQ(c.verdict.find("BEST"), std::string::npos);
}

TEST_F(CompareTest, RepeatsKnowWhatOtherProgramsDo) {
  for (SampleRun sample : ThreeStages()) {
    sample.other_cpu_pct = 48;
    const int64_t experiment = record_.AddExperiment(sample);
    record_.AddRunOf(experiment, sample);
    sample.repeat = 2;
    record_.AddRunOf(experiment, sample);
  }
  const Comparison c = Compared({"z0", "z1"});
  EXPECT_EQ(c.experiments[1].ratio.word, "FASTER");
  EXPECT_EQ(c.verdict.find("DISTURBED"), std::string::npos);
}

TEST_F(CompareTest, ThePartThatIsOffIsNamed) {
  std::vector<SampleRun> samples = ThreeStages();
  samples[1].predictions = {{"step", 50, "made-up"}, {"exposed", 1, "made-up"}};
  AddAll(samples);
  const Comparison c = Compared({"z0", "z1"});
  EXPECT_FALSE(c.experiments[0].step_ms_predicted);
  EXPECT_EQ(c.experiments[1].step_ms_predicted, 50);
  ASSERT_TRUE(c.experiments[1].term_off);
  EXPECT_EQ(c.experiments[1].term_off->name, "exposed communication");
}

TEST_F(CompareTest, OneAloneIsMeasured) {
  AddAll(ThreeStages());
  const Comparison c = Compared({"z0"});
  EXPECT_TRUE(c.measured);
  EXPECT_TRUE(c.experiments[0].alone);
}

TEST_F(CompareTest, NobodyIsAnError) {
  EXPECT_STATUS(Compare(record_.reader(), {}, {}), StatusCode::kInvalidArgument,
                "--compare");
  EXPECT_STATUS(Compare(record_.reader(), {"z0"}, {}), StatusCode::kNotFound,
                "'z0'");
}

}  // namespace
}  // namespace zs::results
