// One node with real processes: whatever the ranks do, the run ends with a
// named reason, nothing is left, and the next run passes.
#include <signal.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "tests/fault/fault_test_base.h"

namespace zs::testing {
namespace {

using SuperviseFaultTest = FaultTest;

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(SuperviseFaultTest, RanksThatEndWellPass) {
  RunRequest request = FakeTrain(2, {});
  request.artifact_folder = folder_;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kExited);
  EXPECT_EQ(outcome.cause, "ok");
  ASSERT_EQ(outcome.ranks.size(), 2U);
  EXPECT_EQ(outcome.ranks[1].HowItEnded(), "exit 0");
  EXPECT_GT(outcome.ranks[1].pid, 1);
  EXPECT_GT(outcome.ranks[1].peak_rss_bytes, 0);
  const std::vector<std::string> expected = {"start rank 1", "step 1", "step 2",
                                             "step 3"};
  EXPECT_EQ(observer_.lines(1), expected);
  EXPECT_EQ(observer_.exits().size(), 2U);
  EXPECT_EQ(*ReadFile(folder_ + "/rank1.log"),
            "start rank 1\nstep 1\nstep 2\nstep 3\n");
  ASSERT_EQ(outcome.clean_up.size(), 1U);
  EXPECT_EQ(outcome.clean_up[0].left_over, 0);
  EXPECT_FALSE(outcome.clean_up[0].containment.empty());
  EXPECT_LE(*outcome.timings.started_s, *outcome.timings.first_output_s);
  EXPECT_LE(*outcome.timings.first_step_s, outcome.timings.clean_s);
}

TEST_F(SuperviseFaultTest, SecondRunUsesTheSameAgentAndCostsLittle) {
  Supervise(FakeTrain(2, {}));
  RunRequest request = FakeTrain(2, {"--steps", "0"});
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kExited);
  // Milliseconds on an idle machine; the bound is for one full of tests.
  EXPECT_LT(outcome.timings.clean_s, 1.0);
}

TEST_F(SuperviseFaultTest, FailingRankEndsTheRunAndIsNamed) {
  const RunOutcome outcome =
      Supervise(FakeTrain(3, {"--steps", "100000", "--exit", "1", "3", "7"}));
  EXPECT_EQ(outcome.state, ProcessState::kFailed);
  EXPECT_EQ(outcome.cause, "rank_exit");
  EXPECT_EQ(outcome.reason, "rank 1 on here: exit 7; 'leaving with 7'");
  EXPECT_EQ(outcome.first_failed_rank, 1);
  EXPECT_TRUE(outcome.ranks[0].stopped_by_us);
  EXPECT_FALSE(outcome.ranks[1].stopped_by_us);
  EXPECT_EQ(outcome.ranks[0].signal, SIGTERM);
  EXPECT_LT(outcome.timings.clean_s, 10);
  ExpectNextRunPasses();
}

class SignalTest : public FaultTest,
                   public ::testing::WithParamInterface<int> {};

TEST_P(SignalTest, RankThatDiesOfASignalIsNamed) {
  const std::string number = std::to_string(GetParam());
  const RunOutcome outcome = Supervise(
      FakeTrain(2, {"--steps", "100000", "--signal", "0", "2", number}));
  EXPECT_EQ(outcome.state, ProcessState::kFailed);
  EXPECT_EQ(outcome.cause, "rank_signal");
  EXPECT_TRUE(Contains(outcome.reason, "rank 0 on here: signal " + number))
      << outcome.reason;
  ExpectNextRunPasses();
}

INSTANTIATE_TEST_SUITE_P(Signals, SignalTest,
                         ::testing::Values(SIGSEGV, SIGKILL, SIGABRT, SIGTERM));

TEST_F(SuperviseFaultTest, ConsequenceIsNotTakenForTheReason) {
  RunRequest request = FakeTrain(2, {"--steps", "100000", "--exit", "0", "2",
                                     "67", "--signal", "1", "4", "11"});
  request.consequence_exits = {67};
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.first_failed_rank, 1) << outcome.reason;
  EXPECT_EQ(outcome.cause, "rank_signal");
}

TEST_F(SuperviseFaultTest, RankThatLostAPeerWhichIsStoppedTellsOfAHang) {
  RunRequest request =
      FakeTrain(2, {"--steps", "100000", "--exit", "0", "4", "67", "--signal",
                    "1", "2", std::to_string(SIGSTOP)});
  request.consequence_exits = {67};
  request.status_signal = SIGURG;  // of which fake_train knows nothing
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kHung) << outcome.reason;
  EXPECT_EQ(outcome.cause, "hang");
  EXPECT_EQ(outcome.first_failed_rank, 1);
  EXPECT_TRUE(Contains(outcome.reason, "rank 0 on here: exit 67"));
  EXPECT_TRUE(Contains(outcome.reason, "suspect: rank 1 on here is stopped"))
      << outcome.reason;
  ExpectNextRunPasses();
}

TEST_F(SuperviseFaultTest, EarlyExitZeroIsCaught) {
  RunRequest request =
      FakeTrain(2, {"--exit", "1", "2", "0", "--hang", "0", "3"});
  request.limits.exit_spread_s = 0.3;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kFailed);
  EXPECT_EQ(outcome.cause, "partial_exit");
  EXPECT_TRUE(Contains(outcome.reason, "rank 1 on here: exit 0 already"))
      << outcome.reason;
  ExpectNextRunPasses();
}

TEST_F(SuperviseFaultTest, HangAfterStepsIsCaught) {
  RunRequest request = FakeTrain(2, {"--hang", "0", "3"});
  request.limits.hang_s = 0.5;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kHung);
  EXPECT_EQ(outcome.cause, "hang");
  EXPECT_TRUE(Contains(outcome.reason, "no step for 0.5 s after step 2"))
      << outcome.reason;
  ExpectNextRunPasses();
}

TEST_F(SuperviseFaultTest, StoppedProcessIsAHangAndCanBeEnded) {
  RunRequest request =
      FakeTrain(2, {"--steps", "2", "--signal", "1", "2",
                    std::to_string(SIGSTOP), "--hang", "0", "2"});
  request.limits.hang_s = 0.3;
  request.artifact_folder = folder_;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kHung);
  EXPECT_EQ(outcome.ranks[1].signal, SIGTERM);
  // The one that is stopped holds up the other.
  EXPECT_TRUE(
      Contains(outcome.reason, "suspect: rank 1 on here is stopped (state T"))
      << outcome.reason;
  EXPECT_EQ(outcome.first_failed_rank, 1);
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_EQ(outcome.findings[0].code, "hang_suspect");
  EXPECT_EQ(outcome.findings[0].rank, 1);
  const auto evidence = ReadFile(folder_ + "/evidence.txt");
  ASSERT_OK(evidence);
  EXPECT_TRUE(Contains(*evidence, "=== node here")) << *evidence;
  EXPECT_TRUE(Contains(*evidence, " T ")) << *evidence;
}

TEST_F(SuperviseFaultTest, RankThatNeverPrintsIsAStartTimeout) {
  RunRequest request = FakeTrain(2, {"--silent", "1", "--hang", "0", "1"});
  request.limits.start_s = 0.3;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kTimedOut);
  EXPECT_EQ(outcome.cause, "start_timeout");
  EXPECT_EQ(outcome.reason, "not started within 0.3 s: rank 1 on here");
}

TEST_F(SuperviseFaultTest, NoFirstStepIsATimeout) {
  RunRequest request = FakeTrain(1, {"--hang", "0", "1"});
  request.limits.first_step_s = 0.3;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kTimedOut);
  EXPECT_EQ(outcome.cause, "first_step_timeout");
}

TEST_F(SuperviseFaultTest, TotalTimeIsLimited) {
  RunRequest request = FakeTrain(1, {"--steps", "100000"});
  request.limits.total_s = 0.3;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kTimedOut);
  EXPECT_EQ(outcome.cause, "total_timeout");
}

TEST_F(SuperviseFaultTest, ErrorThenHangIsCaughtAndQuoted) {
  RunRequest request = FakeTrain(2, {"--error", "1", "2", "--hang", "0", "3"});
  request.limits.after_error_s = 0.3;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kHung);
  EXPECT_EQ(outcome.cause, "error_then_hang");
  EXPECT_TRUE(
      Contains(outcome.reason, "rank 1 on here reported 'the device is lost'"))
      << outcome.reason;
}

TEST_F(SuperviseFaultTest, RankThatIgnoresTermIsKilledAfterTheGrace) {
  RunRequest request = FakeTrain(
      2, {"--ignore_term", "--steps", "100000", "--exit", "1", "2", "1"});
  request.limits.grace_s = 0.4;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.reason, "rank 1 on here: exit 1; 'leaving with 1'");
  EXPECT_EQ(outcome.ranks[0].signal, SIGKILL);
  EXPECT_TRUE(outcome.ranks[0].stopped_by_us);
  EXPECT_EQ(outcome.clean_up[0].killed, 1);
  EXPECT_GE(outcome.timings.clean_s - *outcome.timings.ended_s, 0.4);
  ExpectNextRunPasses();
}

TEST_F(SuperviseFaultTest, DaemonInASessionOfItsOwnIsFound) {
  const RunOutcome outcome = Supervise(FakeTrain(2, {"--daemon"}));
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
  EXPECT_EQ(outcome.clean_up[0].left_over, 2);
  ExpectNextRunPasses();
}

TEST_F(SuperviseFaultTest, DaemonThatHoldsTheOutputDelaysNothing) {
  const RunOutcome outcome =
      Supervise(FakeTrain(1, {"--daemon_holds_output", "--ignore_term"}));
  EXPECT_EQ(outcome.state, ProcessState::kExited);
  EXPECT_EQ(outcome.clean_up[0].killed, 1);
  EXPECT_EQ(observer_.lines(0).back(), "step 3");
  EXPECT_LT(outcome.timings.clean_s, 10);
}

TEST_F(SuperviseFaultTest, MissingProgramIsAStartFailure) {
  RunRequest request = FakeTrain(2, {"--steps", "100000"});
  request.nodes[0].ranks[1].argv = {"no-such-program"};
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kNotStarted);
  EXPECT_EQ(outcome.cause, "start_failed");
  EXPECT_TRUE(
      Contains(outcome.reason, "rank 1 on here: start 'no-such-program'"))
      << outcome.reason;
  EXPECT_EQ(outcome.ranks[1].HowItEnded(), "never started");
  ExpectNextRunPasses();
}

TEST_F(SuperviseFaultTest, MissingFolderIsAStartFailure) {
  RunRequest request = FakeTrain(1, {});
  request.nodes[0].cwd = "/no/such/folder";
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.cause, "start_failed");
  EXPECT_TRUE(Contains(outcome.reason, "/no/such/folder")) << outcome.reason;
}

TEST_F(SuperviseFaultTest, GiantArgumentsAreRefused) {
  RunRequest request = FakeTrain(1, {});
  request.nodes[0].ranks[0].argv.push_back(std::string(5 << 20, 'x'));
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.cause, "start_failed");
  ExpectNextRunPasses();
}

TEST_F(SuperviseFaultTest, EnvironmentArrivesUntouched) {
  const std::string odd = "a b 'c' \"d\" $HOME `id` {\"k\": [1]} \xc3\xa9";
  RunRequest request = FakeTrain(1, {"--print_env", "ODD"});
  request.nodes[0].ranks[0].env.push_back("ODD=" + odd);
  Supervise(request);
  const std::vector<std::string> lines = observer_.lines(0);
  EXPECT_NE(std::find(lines.begin(), lines.end(), "env " + odd), lines.end());
}

TEST_F(SuperviseFaultTest, BinaryLineOfTenMegabytesArrivesWhole) {
  RunRequest request = FakeTrain(1, {"--print_bytes", "10000000"});
  request.artifact_folder = folder_;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
  EXPECT_EQ(outcome.ranks[0].output_bytes,
            10'000'001 + static_cast<int64_t>(
                             std::string("start rank 0\nstep 1\nstep 2\nstep "
                                         "3\n")
                                 .size()));
  EXPECT_EQ(observer_.lines(0).back(), "step 3");
  if (outcome.ranks[0].dropped_bytes == 0) {
    EXPECT_EQ(observer_.lines(0)[1].size(), 10'000'000U);
  }
}

TEST_F(SuperviseFaultTest, FloodKeepsItsBeginningAndItsEnd) {
  RunRequest request = FakeTrain(2, {"--flood_lines", "400000"});
  request.artifact_folder = folder_;
  request.log_cap_bytes = 1 << 20;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(observer_.lines(rank).front(),
              "start rank " + std::to_string(rank));
    EXPECT_EQ(observer_.lines(rank).back(), "step 3");
    const std::string log =
        *ReadFile(folder_ + "/rank" + std::to_string(rank) + ".log");
    EXPECT_LE(log.size(), (1U << 20) + 200U);
    EXPECT_TRUE(log.ends_with("step 1\nstep 2\nstep 3\n"));
    EXPECT_TRUE(Contains(log, "bytes of output left out"));
  }
}

TEST_F(SuperviseFaultTest, LogsThatCannotBeWrittenAreReportedOnly) {
  RunRequest request = FakeTrain(2, {});
  request.artifact_folder = "/no/such/folder";
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kExited);
  ASSERT_EQ(outcome.findings.size(), 3U);
  EXPECT_EQ(outcome.findings[0].code, "log_incomplete");
  EXPECT_TRUE(
      Contains(outcome.findings[0].message, "/no/such/folder/rank0.log"));
  EXPECT_TRUE(
      Contains(outcome.findings[2].message, "/no/such/folder/node0.log"));
}

TEST_F(SuperviseFaultTest, SecretsThatARankPrintsAreKeptNowhere) {
  RunRequest request = FakeTrain(2, {"--print_env", "MY_TOKEN"});
  request.artifact_folder = folder_;
  request.nodes[0].ranks[1].env.push_back("MY_TOKEN=canary-4711-canary");
  request.secrets = {"canary-4711-canary"};
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kExited);
  // The rank itself has the true value: it is what was masked.
  EXPECT_EQ(observer_.lines(1)[1], "env ***");
  EXPECT_EQ(observer_.lines(0)[1], "env (unset)");
  EXPECT_TRUE(Contains(*ReadFile(folder_ + "/rank1.log"), "env ***"));
  EXPECT_FALSE(Contains(outcome.ranks[1].last_lines, "canary"));
}

TEST_F(SuperviseFaultTest, StopBeforeTheStartStartsNothing) {
  stop_.Stop(StopKind::kGently);
  const RunOutcome outcome = Supervise(FakeTrain(2, {}));
  EXPECT_EQ(outcome.state, ProcessState::kKilled);
  EXPECT_EQ(outcome.ranks[0].HowItEnded(), "never started");
}

// Asks for the end when rank 0 has done a step.
class StoppingObserver : public LineObserver {
 public:
  StoppingObserver(StopSource& stop, std::vector<StopKind> kinds)
      : stop_(stop), kinds_(std::move(kinds)) {}

 protected:
  void OnLine(int rank, const std::string& line,
              RunProgress& progress) override {
    LineObserver::OnLine(rank, line, progress);
    if (rank == 0 && line == "step 2") {
      for (const StopKind kind : kinds_) {
        stop_.Stop(kind);
      }
    }
  }

 private:
  StopSource& stop_;
  std::vector<StopKind> kinds_;
};

TEST_F(SuperviseFaultTest, StopEndsARunGently) {
  StoppingObserver observer(stop_, {StopKind::kGently});
  const RunRequest request = FakeTrain(2, {"--steps", "100000"});
  const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
  EXPECT_EQ(outcome.state, ProcessState::kKilled);
  EXPECT_EQ(outcome.ranks[0].signal, SIGTERM);
  EXPECT_TRUE(outcome.clean());
}

TEST_F(SuperviseFaultTest, SecondStopDoesNotWaitForTheGrace) {
  StoppingObserver observer(stop_, {StopKind::kGently, StopKind::kNow});
  RunRequest request = FakeTrain(2, {"--steps", "100000", "--ignore_term"});
  request.limits.grace_s = 50;
  const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
  EXPECT_EQ(outcome.state, ProcessState::kKilled);
  EXPECT_EQ(outcome.ranks[0].signal, SIGKILL);
  EXPECT_LT(outcome.timings.clean_s, 10);
  EXPECT_TRUE(outcome.clean());
}

TEST_F(SuperviseFaultTest, BadRequestsStartNothing) {
  RunRequest request = FakeTrain(2, {});
  request.nodes[0].ranks[1].rank = 0;
  RunOutcome outcome = zs::Supervise(request, pool_, observer_, stop_);
  EXPECT_EQ(outcome.cause, "bad_request");
  EXPECT_EQ(outcome.reason, "rank 0 is placed twice, again on here");
  request = FakeTrain(1, {});
  request.token = "a b";
  EXPECT_EQ(zs::Supervise(request, pool_, observer_, stop_).cause,
            "bad_request");
  request = FakeTrain(1, {});
  request.nodes[0].ranks[0].env = {"NOVALUE"};
  EXPECT_EQ(zs::Supervise(request, pool_, observer_, stop_).cause,
            "bad_request");
  request = FakeTrain(0, {});
  EXPECT_EQ(zs::Supervise(request, pool_, observer_, stop_).cause,
            "bad_request");
}

}  // namespace
}  // namespace zs::testing
