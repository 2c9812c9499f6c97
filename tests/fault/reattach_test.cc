// A connection that breaks: within the lease the run goes on with nothing lost
// and nothing doubled; beyond it the node's agent ends what it owns and keeps a
// record of it.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/agent/process_table.h"
#include "runner/reach/ask.h"
#include "tests/fault/fault_test_base.h"

namespace zs::testing {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// "start rank R", "step 1", ... "step STEPS".
std::vector<std::string> AllLines(int rank, int steps) {
  std::vector<std::string> lines = {"start rank " + std::to_string(rank)};
  for (int step = 1; step <= steps; ++step) {
    lines.push_back("step " + std::to_string(step));
  }
  return lines;
}

// Ends the commands that lead to agents, as a dying ssh would.
void CutAllLinks() {
  for (const ProcessInfo& process : ListProcesses()) {
    if (process.parent == ::getpid() && process.name == "cut_reach.sh") {
      ::kill(-process.pid, SIGKILL);
    }
  }
}

class ReattachTest : public FaultTest {
 protected:
  static constexpr int kForGood = -1;

  // Cuts the links when rank 0 has done step 20, for OUTAGE_MS; 0: once, and
  // at once there is a way again.
  class Cutter : public LineObserver {
   public:
    Cutter(std::string folder, int outage_ms)
        : down_(std::move(folder) + "/down"), outage_ms_(outage_ms) {}
    ~Cutter() override {
      if (healer_.joinable()) {
        healer_.join();
      }
    }

   protected:
    void OnLine(int rank, const std::string& line,
                RunProgress& progress) override {
      LineObserver::OnLine(rank, line, progress);
      if (rank != 0 || line != "step 20") {
        return;
      }
      if (outage_ms_ != 0) {
        std::ofstream(down_) << "";
      }
      if (outage_ms_ > 0) {
        healer_ = std::thread([this] {
          std::this_thread::sleep_for(std::chrono::milliseconds(outage_ms_));
          std::filesystem::remove(down_);
        });
      }
      CutAllLinks();
    }

   private:
    std::string down_;
    int outage_ms_;
    std::thread healer_;
  };

  RunRequest Behind(int ranks, const std::vector<std::string>& args) {
    RunRequest request = FakeTrain(ranks, args);
    const std::string here = std::filesystem::current_path().string();
    request.nodes[0].reach = {here + "/tests/fault/cut_reach.sh", folder_,
                              "env", "HOME=" + folder_};
    request.nodes[0].cwd = here;
    request.artifact_folder = folder_;
    request.limits.lease_s = 20;
    return request;
  }

  // The agent would do so when its lease runs out.
  static void EndByHand(const std::string& token) {
    for (const ProcessInfo& process : ProcessesOf(token)) {
      SignalProcess(process, SIGKILL);
    }
    EXPECT_TRUE(Gone(token, 20));
  }

  // Whether nothing of the run is left within TIMEOUT_S.
  static bool Gone(const std::string& token, int timeout_s) {
    for (int i = 0; i < timeout_s * 50 && !ProcessesOf(token).empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return ProcessesOf(token).empty();
  }
};

TEST_F(ReattachTest, RunGoesOnAfterACutAndNothingIsLostOrDoubled) {
  Cutter observer(folder_, /*outage_ms=*/600);
  const RunRequest request = Behind(2, {"--steps", "300"});
  const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
  EXPECT_EQ(observer.lines(0), AllLines(0, 300));
  EXPECT_EQ(observer.lines(1), AllLines(1, 300));
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].code, "link_lost");
  EXPECT_EQ(outcome.findings[0].node, "here");
  EXPECT_FALSE(outcome.findings[0].is_error);
  EXPECT_TRUE(Contains(outcome.findings[0].message, "came back at try "))
      << outcome.findings[0].message;
  EXPECT_TRUE(outcome.clean());
  ExpectNextRunPasses();
}

TEST_F(ReattachTest, FloodIsNotDoubledOverACut) {
  class MidFlood : public LineObserver {
   public:
    void OnOutput(const OutputChunk& chunk, RunProgress& progress) override {
      LineObserver::OnOutput(chunk, progress);
      bytes_ += static_cast<int64_t>(chunk.bytes.size()) + chunk.dropped_bytes;
      if (bytes_ > (cuts_ + 1) * 5'000'000 && cuts_ < 3) {
        ++cuts_;
        CutAllLinks();
      }
    }
    int64_t bytes_ = 0;
    int cuts_ = 0;
  };
  MidFlood observer;
  const RunRequest request = Behind(1, {"--flood_lines", "400000"});
  const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
  EXPECT_GE(observer.cuts_, 1);
  int64_t written = 0;  // "start rank 0" and the steps' lines aside
  for (int i = 0; i < 400000; ++i) {
    written += static_cast<int64_t>(("flood line " + std::to_string(i) +
                                     " of rank 0 with some text behind it\n")
                                        .size());
  }
  written += static_cast<int64_t>(
      std::string("start rank 0\nstep 1\nstep 2\nstep 3\n").size());
  EXPECT_EQ(outcome.ranks[0].output_bytes, written);
  EXPECT_EQ(observer.bytes_, written);
}

TEST_F(ReattachTest, EndOfTheRanksDuringACutIsHeardAfterwards) {
  Cutter observer(folder_, /*outage_ms=*/800);
  const RunRequest request =
      Behind(2, {"--steps", "40", "--exit", "1", "30", "5"});
  const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
  EXPECT_EQ(outcome.state, ProcessState::kFailed) << outcome.reason;
  EXPECT_EQ(outcome.reason, "rank 1 on here: exit 5; 'leaving with 5'");
  EXPECT_TRUE(outcome.clean());
}

TEST_F(ReattachTest, LostForGoodTheAgentEndsItsRanksAndKeepsARecord) {
  Cutter observer(folder_, /*outage_ms=*/5000);
  RunRequest request = Behind(2, {"--steps", "100000", "--daemon"});
  request.limits.lease_s = 1.5;
  const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
  EXPECT_EQ(outcome.state, ProcessState::kLost) << outcome.reason;
  EXPECT_EQ(outcome.cause, "node_lost");
  EXPECT_TRUE(Contains(outcome.reason, "within its lease")) << outcome.reason;
  EXPECT_FALSE(outcome.clean_up[0].verified);
  EXPECT_TRUE(Gone(request.token, 20));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::filesystem::remove(folder_ + "/down");
  const auto agent = pool_.Get("here", request.nodes[0].reach);
  ASSERT_OK(agent);
  const auto record = Ask(**agent, {0, "record", {request.token + ".0"}}, 9000);
  ASSERT_OK(record);
  EXPECT_TRUE(Contains(*record, "started 1 ")) << *record;
  EXPECT_TRUE(Contains(*record, "nothing was heard of the runner for 1 s"))
      << *record;
  EXPECT_TRUE(Contains(*record, "\nexited 0 ")) << *record;
  EXPECT_TRUE(Contains(*record, "\nexited 1 ")) << *record;
}

// Each rank waited for it anew, until its node was taken for lost.
TEST_F(ReattachTest, LoginShellThatHangsRefusesTheStart) {
  ASSERT_OK(WriteFileAtomically(folder_ + "/.profile", "sleep 1000\n"));
  RunRequest request = Behind(4, {});
  request.nodes[0].reach.emplace_back("SHELL=/bin/sh");
  request.login_shell = true;
  request.limits.lease_s = 4;
  const RunOutcome outcome = zs::Supervise(request, pool_, observer_, stop_);
  EXPECT_EQ(outcome.cause, "start_failed") << outcome.reason;
  EXPECT_TRUE(Contains(outcome.reason, "login shell")) << outcome.reason;
  EXPECT_TRUE(outcome.findings.empty());
  EXPECT_TRUE(outcome.clean());
}

// What a try printed, or its end, counted as a word of the agent: with a lease
// longer than the longest pause between two tries it never ran out.
TEST_F(ReattachTest, WhatATryPrintsDoesNotRenewTheLease) {
  Cutter observer(folder_, kForGood);
  RunRequest request = Behind(1, {"--steps", "100000"});
  request.limits.lease_s = 4.5;  // the longest pause is 4 s
  const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
  EXPECT_EQ(outcome.state, ProcessState::kLost) << outcome.reason;
  EXPECT_TRUE(Contains(outcome.reason, "within its lease")) << outcome.reason;
  EXPECT_LT(outcome.timings.clean_s, 15);
  EXPECT_TRUE(Gone(request.token, 20));
}

TEST_F(ReattachTest, LimitOfTheWholeRunEndsIt) {
  Cutter observer(folder_, kForGood);
  RunRequest request = Behind(1, {"--steps", "100000"});
  request.limits.lease_s = 5;  // of the agent, which nobody can tell
  request.limits.total_s = 2;
  const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
  EXPECT_EQ(outcome.cause, "total_timeout") << outcome.reason;
  EXPECT_LT(outcome.timings.clean_s, 20);
  EXPECT_TRUE(Gone(request.token, 20));
}

// Stops the run when its links have been cut.
class ReattachStopTest : public ReattachTest {
 protected:
  class StopInCut : public Cutter {
   public:
    StopInCut(std::string folder, int outage_ms, StopKind kind,
              StopSource& stop)
        : Cutter(std::move(folder), outage_ms), kind_(kind), stop_(stop) {}

   protected:
    void OnLine(int rank, const std::string& line,
                RunProgress& progress) override {
      Cutter::OnLine(rank, line, progress);
      if (rank == 0 && line == "step 20") {
        stop_.Stop(kind_);
      }
    }

   private:
    StopKind kind_;
    StopSource& stop_;
  };

  // A run whose link does not come back, and which KIND ends.
  void ExpectEndedBy(StopKind kind) {
    StopInCut observer(folder_, kForGood, kind, stop_);
    RunRequest request = Behind(1, {"--steps", "100000"});
    const double begin_s = RealClock().monotonic_s();
    const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
    EXPECT_LT(RealClock().monotonic_s() - begin_s, 12) << outcome.reason;
    EXPECT_EQ(outcome.state, ProcessState::kKilled) << outcome.reason;
    EXPECT_FALSE(outcome.clean());
    EndByHand(request.token);
  }
};

TEST_F(ReattachStopTest, OfALinkThatDoesNotComeBackEndsTheRun) {
  ExpectEndedBy(StopKind::kGently);
}

TEST_F(ReattachStopTest, AtOnceOfALinkThatDoesNotComeBackEndsTheRun) {
  ExpectEndedBy(StopKind::kNow);
}

TEST_F(ReattachStopTest, DuringACutIsCarriedOutAfterwards) {
  StopInCut observer(folder_, /*outage_ms=*/700, StopKind::kGently, stop_);
  const RunRequest request = Behind(2, {"--steps", "100000"});
  const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
  EXPECT_EQ(outcome.state, ProcessState::kKilled) << outcome.reason;
  EXPECT_TRUE(outcome.clean());
  EXPECT_TRUE(ProcessesOf(request.token).empty());
}

}  // namespace
}  // namespace zs::testing
