#include "runner/agent/run_briefly.h"

#include <string>

#include "base/clock.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(RunBrieflyTest, TellsHowItEndedAndWhatItPrinted) {
  const auto answer =
      RunBriefly({"9000", "sh", "-c", "echo out; echo err >&2; exit 3"});
  ASSERT_OK(answer);
  EXPECT_EQ(*answer, "exit 3\nout\nerr\n");
}

// A program that closes its output and runs on was waited for without end, and
// the agent with it.
TEST(RunBrieflyTest, ProgramThatClosesItsOutputAndRunsOnIsEnded) {
  const double begin_s = RealClock().monotonic_s();
  EXPECT_STATUS(RunBriefly({"200", "sh", "-c", "exec >&- 2>&-; sleep 1000"}),
                StatusCode::kDeadlineExceeded, "took longer than 200 ms");
  EXPECT_LT(RealClock().monotonic_s() - begin_s, 10);
}

TEST(RunBrieflyTest, ProgramThatClosesItsOutputAndEndsTellsItsExit) {
  const auto answer =
      RunBriefly({"9000", "sh", "-c", "exec >&- 2>&-; sleep 0.05; exit 4"});
  ASSERT_OK(answer);
  EXPECT_EQ(*answer, "exit 4\n");
}

TEST(RunBrieflyTest, WhatFollowsTheLastWordsIsNotWaitedFor) {
  BriefRun run;
  run.argv = {"sh", "-c", "printf 'all said'; sleep 1000"};
  run.timeout_ms = 60'000;
  run.until = "said";
  const auto result = RunAndRead(run);
  ASSERT_OK(result);
  EXPECT_EQ(result->printed, "all said");
  EXPECT_EQ(result->how, "signal 9");
}

}  // namespace
}  // namespace zs
