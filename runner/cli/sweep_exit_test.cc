#include "runner/cli/sweep_exit.h"

#include <csignal>

#include "gtest/gtest.h"
#include "runner/cli/exit_code.h"

namespace zs {
namespace {

TEST(SweepExitTest, EveryEndHasItsCode) {
  const struct {
    const char* name;
    SweepResult result;
    int signal;
    int code;
  } cases[] = {
      {"all pass", {.passed = 3, .started = 3}, 0, 0},
      {"all cached", {.cached = 3}, 0, 0},
      {"some excluded", {.passed = 1, .skipped = 2}, 0, 0},
      {"one failed",
       {.passed = 2, .failed = 1, .started = 3, .skipped = 1},
       0,
       1},
      {"one needs what is excluded",
       {.passed = 1, .started = 1, .skipped = 2, .need_missing = 1},
       0,
       6},
      {"all excluded", {.skipped = 2}, 0, 4},
      {"nothing", {}, 0, 4},
      {"checks failed everywhere", {.failed = 2}, 0, 5},
      {"checks failed somewhere",
       {.passed = 1, .failed = 1, .started = 1},
       0,
       1},
      {"refused after an attempt", {.failed = 1, .started = 1}, 0, 1},
      {"too little memory",
       {.passed = 1, .skipped = 1, .does_not_fit = 1},
       0,
       6},
      {"--fail-fast",
       {.passed = 1, .failed = 1, .started = 2, .not_reached = 1},
       0,
       1},
      {"stopped by the verb", {.passed = 1, .stopped = true}, 0, 6},
      {"total time",
       {.passed = 1, .failed = 1, .not_reached = 1, .out_of_time = true},
       0,
       124},
      {"Ctrl-C", {.passed = 1, .not_reached = 1, .stopped = true}, SIGINT, 130},
      {"Ctrl-C at the end of the time",
       {.stopped = true, .out_of_time = true},
       SIGINT,
       130},
      {"TERM", {.failed = 1, .stopped = true}, SIGTERM, 143},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ExitCodeOf(c.result, c.signal), c.code) << c.name;
  }
}

TEST(SweepExitTest, CodesAreThoseOfTheContract) {
  EXPECT_EQ(kExitOk, 0);
  EXPECT_EQ(kExitFailed, 1);
  EXPECT_EQ(kExitRequest, 2);
  EXPECT_EQ(kExitRegression, 3);
  EXPECT_EQ(kExitNothingMeasured, 4);
  EXPECT_EQ(kExitChecksFailed, 5);
  EXPECT_EQ(kExitIncomplete, 6);
  EXPECT_EQ(kExitTotalTime, 124);
  EXPECT_EQ(kExitInterrupted, 130);
  EXPECT_EQ(kExitTerminated, 143);
}

TEST(SweepExitTest, TheSummaryCounts) {
  EXPECT_EQ(SummaryOf({.passed = 1, .cached = 2}),
            "1 passed, 0 failed, 2 cached, 0 skipped");
  EXPECT_EQ(SummaryOf({.not_reached = 1, .out_of_time = true}),
            "0 passed, 0 failed, 0 cached, 0 skipped, 1 not reached; the time "
            "for the sweep is used up");
}

}  // namespace
}  // namespace zs
