#include "runner/sweep/judge.h"

#include "gtest/gtest.h"

namespace zs {
namespace {

using results::MeasurementState;
using results::Verdict;

class JudgeTest : public ::testing::Test {
 protected:
  JudgeTest() {
    experiment_.name = "z1";
    experiment_.train.zero_stage = 1;
    experiment_.train.steps = 10;
    experiment_.has_train = true;
    experiment_.topology.nodes = {"here"};
    experiment_.topology.ranks_per_node = 2;
    ended_.state = ProcessState::kExited;
    ended_.reason = "all 2 ranks ended with 0";
    ended_.clean_up = {{.node = "here", .verified = true}};
    measured_.world_size = 2;
    measured_.zero_stage = 1;
    measured_.steps = 10;
    measured_.step_ms_median = 5;
    measured_.tokens_per_s = 1000;
    measured_.step_cv = 0.01;
    measured_.final_loss = 2;
  }

  results::RunOutcome Judged() {
    return Judge(experiment_, ended_, measured_, wanted_);
  }

  Experiment experiment_;
  RunOutcome ended_;
  Measured measured_;
  Completion wanted_{.steps = 10};
};

TEST_F(JudgeTest, ACompleteRunPasses) {
  experiment_.expect.world_size = 2;
  experiment_.expect.max_step_cv = 0.05;
  experiment_.expect.min_tokens_per_s = 1000;
  EXPECT_EQ(Judged().verdict, Verdict::kPass);
  EXPECT_EQ(Judged().measurement, MeasurementState::kValid);
  EXPECT_EQ(Judged().process, results::ProcessState::kExited);
  EXPECT_EQ(Judged().exit_status, 0);
}

TEST_F(JudgeTest, ExitZeroWithoutAllStepsIsNoPass) {
  measured_.steps = 9;
  EXPECT_EQ(Judged().measurement, MeasurementState::kIncomplete);
  EXPECT_EQ(Judged().verdict, Verdict::kFail);
  EXPECT_EQ(Judged().verdict_reason, "9 of 10 steps");
  measured_.steps = 0;
  EXPECT_EQ(Judged().measurement, MeasurementState::kNoData);
  EXPECT_EQ(Judged().verdict, Verdict::kFail);
}

TEST_F(JudgeTest, WhatTheRunShouldHaveToldMakesItIncomplete) {
  measured_.missing = {"command.loss_pattern matched no line with a number"};
  EXPECT_EQ(Judged().measurement, MeasurementState::kIncomplete);
  EXPECT_EQ(Judged().verdict, Verdict::kFail);
  EXPECT_EQ(Judged().verdict_reason,
            "10 of 10 steps; command.loss_pattern matched no line with a "
            "number");
}

TEST_F(JudgeTest, ParametersThatNotEveryRankToldAreNoPass) {
  wanted_.parameters = true;
  measured_.ranks_ended = 1;
  EXPECT_EQ(Judged().verdict, Verdict::kUndecided);
  EXPECT_EQ(Judged().verdict_reason,
            "parameters at the end: 1 ranks told theirs, 2 ran");
  measured_.parameters_sha256 = "abc";
  EXPECT_EQ(Judged().verdict, Verdict::kPass);
}

TEST_F(JudgeTest, ARunThatIsAskedForNoStepsNeedsNone) {
  wanted_ = {.steps = 0, .zero_stage = false, .world_size = false};
  measured_ = Measured();
  EXPECT_EQ(Judged().measurement, MeasurementState::kValid);
  EXPECT_EQ(Judged().verdict, Verdict::kPass);
  wanted_.any_step = true;
  EXPECT_EQ(Judged().measurement, MeasurementState::kNoData);
  EXPECT_EQ(Judged().verdict, Verdict::kFail);
}

TEST_F(JudgeTest, AnotherStageInEffectFails) {
  measured_.zero_stage = 0;
  EXPECT_EQ(Judged().verdict, Verdict::kFail);
  EXPECT_EQ(Judged().verdict_reason,
            "ZeRO stage 0 was in effect, 1 was asked for");
  wanted_.any_stage = true;
  EXPECT_EQ(Judged().verdict, Verdict::kPass);
}

TEST_F(JudgeTest, WhatIsUnknownNeverPasses) {
  measured_.zero_stage.reset();
  EXPECT_EQ(Judged().verdict, Verdict::kUndecided);
  measured_.zero_stage = 1;
  measured_.step_cv.reset();
  experiment_.expect.max_step_cv = 0.05;
  EXPECT_EQ(Judged().verdict, Verdict::kUndecided);
  EXPECT_EQ(Judged().verdict_reason, "max_step_cv: not measured");
}

TEST_F(JudgeTest, ABrokenExpectationSaysFoundAndAllowed) {
  experiment_.expect.max_step_cv = 0.005;
  experiment_.expect.min_tokens_per_s = 2000;
  EXPECT_EQ(Judged().verdict, Verdict::kFail);
  EXPECT_EQ(Judged().verdict_reason,
            "max_step_cv: 0.01, at most 0.005; "
            "min_tokens_per_s: 1000, at least 2000");
  // The numbers themselves are good.
  EXPECT_EQ(Judged().measurement, MeasurementState::kValid);
}

TEST_F(JudgeTest, ANaNIsItsOwnState) {
  measured_.invalid_loss = "step 7: loss nan";
  EXPECT_EQ(Judged().measurement, MeasurementState::kInvalidLoss);
  EXPECT_EQ(Judged().verdict, Verdict::kFail);
}

TEST_F(JudgeTest, ALeftoverOfTheRunFailsIt) {
  ended_.clean_up[0].processes_left = 1;
  EXPECT_EQ(Judged().verdict, Verdict::kFail);
  EXPECT_NE(Judged().verdict_reason.find("here: not clean"), std::string::npos);
}

TEST_F(JudgeTest, RanksWithDifferentParametersFail) {
  measured_.ranks_differ = true;
  EXPECT_EQ(Judged().verdict, Verdict::kFail);
}

TEST_F(JudgeTest, HowProcessesEndedKeepsItsNameAndReason) {
  struct Case {
    ProcessState state;
    const char* cause;
    results::ProcessState want;
  };
  const Case cases[] = {
      {ProcessState::kFailed, "rank_exit", results::ProcessState::kExited},
      {ProcessState::kFailed, "rank_signal", results::ProcessState::kKilled},
      {ProcessState::kFailed, "oom_killed", results::ProcessState::kKilled},
      {ProcessState::kKilled, "stopped", results::ProcessState::kKilled},
      {ProcessState::kTimedOut, "start_timeout",
       results::ProcessState::kTimedOut},
      {ProcessState::kHung, "hang", results::ProcessState::kHung},
      {ProcessState::kLost, "node_lost", results::ProcessState::kLost},
      {ProcessState::kNotStarted, "unreachable", results::ProcessState::kLost},
  };
  for (const Case& test : cases) {
    ended_.state = test.state;
    ended_.cause = test.cause;
    ended_.reason = "rank 1 on here: exit 3";
    EXPECT_EQ(Judged().process, test.want) << test.cause;
    EXPECT_EQ(Judged().process_reason, "rank 1 on here: exit 3");
    EXPECT_EQ(Judged().verdict, Verdict::kFail);
  }
}

}  // namespace
}  // namespace zs
