#include "runner/supervise/deadlines.h"

#include "gtest/gtest.h"

namespace zs {
namespace {

RunLimits NoLimits() {
  RunLimits limits;
  limits.reach_s = limits.start_s = limits.first_step_s = limits.hang_s =
      limits.hang_factor = limits.total_s = limits.exit_spread_s =
          limits.after_error_s = 0;
  return limits;
}

#define EXPECT_NEXT(deadlines, expected_limit, expected_s) \
  do {                                                     \
    const auto next = (deadlines).Next();                  \
    ASSERT_TRUE(next.has_value());                         \
    EXPECT_EQ(next->limit, expected_limit);                \
    EXPECT_DOUBLE_EQ(next->at_s, expected_s);              \
  } while (false)

TEST(DeadlinesTest, NeverPassWithoutLimits) {
  Deadlines deadlines(NoLimits(), {0, 1});
  EXPECT_FALSE(deadlines.Next().has_value());
  deadlines.Reached();
  deadlines.Launched(1);
  deadlines.StepDone(1, 2);
  deadlines.ErrorSeen(3);
  deadlines.RankExitedZero(4);
  EXPECT_FALSE(deadlines.Next().has_value());
}

TEST(DeadlinesTest, FollowTheRunFromReachToFirstStep) {
  RunLimits limits = NoLimits();
  limits.reach_s = 10;
  limits.start_s = 20;
  limits.first_step_s = 30;
  Deadlines deadlines(limits, {0, 1});
  EXPECT_NEXT(deadlines, Limit::kReach, 10);
  deadlines.Reached();
  deadlines.Launched(3);
  EXPECT_NEXT(deadlines, Limit::kStart, 23);
  deadlines.RankStarted(1, 4);
  deadlines.RankStarted(1, 5);
  EXPECT_NEXT(deadlines, Limit::kStart, 23);
  EXPECT_EQ(deadlines.not_started(), std::set<int>{0});
  deadlines.RankStarted(0, 6);
  EXPECT_NEXT(deadlines, Limit::kFirstStep, 36);
  deadlines.StepDone(1, 8);
  EXPECT_FALSE(deadlines.Next().has_value());
}

TEST(DeadlinesTest, TotalStandsBesideTheOthers) {
  RunLimits limits = NoLimits();
  limits.total_s = 15;
  limits.start_s = 20;
  Deadlines deadlines(limits, {0});
  deadlines.Reached();
  deadlines.Launched(3);
  EXPECT_NEXT(deadlines, Limit::kTotal, 15);
}

TEST(DeadlinesTest, HangIsCountedFromTheLastStep) {
  RunLimits limits = NoLimits();
  limits.hang_s = 5;
  Deadlines deadlines(limits, {0});
  deadlines.Reached();
  EXPECT_FALSE(deadlines.Next().has_value());
  deadlines.StepDone(1, 10);
  EXPECT_NEXT(deadlines, Limit::kHang, 15);
  deadlines.StepDone(2, 11);
  EXPECT_NEXT(deadlines, Limit::kHang, 16);
  deadlines.StepDone(2, 12);  // said twice
  EXPECT_NEXT(deadlines, Limit::kHang, 16);
  deadlines.Alive(14);
  EXPECT_NEXT(deadlines, Limit::kHang, 19);
}

TEST(DeadlinesTest, SlowStepsStretchTheHangLimit) {
  RunLimits limits = NoLimits();
  limits.hang_s = 5;
  limits.hang_factor = 3;
  Deadlines deadlines(limits, {0});
  deadlines.Reached();
  // Durations 4, 10, 4: the median is 4.
  deadlines.StepDone(1, 0);
  deadlines.StepDone(2, 4);
  deadlines.StepDone(3, 14);
  deadlines.StepDone(4, 18);
  EXPECT_NEXT(deadlines, Limit::kHang, 30);
  EXPECT_DOUBLE_EQ(deadlines.step_limit_s(), 12);
}

// A program that may be silent has no such limit, though it told some steps.
TEST(DeadlinesTest, NoHangLimitStaysOffAfterFastSteps) {
  RunLimits limits = NoLimits();
  limits.hang_factor = 10;
  Deadlines deadlines(limits, {0});
  deadlines.Reached();
  deadlines.StepDone(1, 0);
  deadlines.StepDone(2, 0.01);
  EXPECT_FALSE(deadlines.Next().has_value());
}

TEST(DeadlinesTest, EarlyExitAndErrorStartTheirClocksOnce) {
  RunLimits limits = NoLimits();
  limits.exit_spread_s = 30;
  limits.after_error_s = 10;
  Deadlines deadlines(limits, {0, 1});
  deadlines.Reached();
  deadlines.RankExitedZero(5);
  deadlines.RankExitedZero(9);
  EXPECT_NEXT(deadlines, Limit::kExitSpread, 35);
  deadlines.ErrorSeen(12);
  deadlines.ErrorSeen(20);
  EXPECT_NEXT(deadlines, Limit::kAfterError, 22);
}

}  // namespace
}  // namespace zs
