#include "runner/agent/teardown.h"

#include <signal.h>

#include <string>
#include <vector>

#include "base/fake_clock.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

constexpr int64_t kMs = 1'000'000;

// Processes that die as told: of TERM, of KILL, or never.
class FakeSet final : public ProcessSet {
 public:
  enum Mortality { kTerm, kKill, kNever };

  void Add(Mortality mortality) {
    ProcessInfo info;
    info.pid = static_cast<pid_t>(100 + members_.size());
    info.state = 'D';
    info.name = "p";
    members_.push_back({info, mortality});
  }

  std::vector<ProcessInfo> Members() override {
    std::vector<ProcessInfo> infos;
    for (const Member& member : members_) {
      infos.push_back(member.info);
    }
    return infos;
  }
  bool blind() const override { return is_blind; }
  void Signal(int signal) override {
    signals.push_back(signal);
    if (signal == SIGTERM) {
      std::erase_if(members_,
                    [](const Member& m) { return m.mortality == kTerm; });
    }
  }
  void Kill() override {
    ++kills;
    std::erase_if(members_,
                  [](const Member& m) { return m.mortality != kNever; });
  }

  std::vector<int> signals;
  int kills = 0;
  bool is_blind = false;

 private:
  struct Member {
    ProcessInfo info;
    Mortality mortality;
  };
  std::vector<Member> members_;
};

class TeardownTest : public ::testing::Test {
 protected:
  // Steps whenever it is due until it is over; the milliseconds that took.
  int64_t RunToEnd(int waited = 0) {
    const int64_t begin = clock_.monotonic_ns();
    while (!teardown_.Step(waited)) {
      EXPECT_GT(teardown_.wake_ns(), clock_.monotonic_ns());
      clock_.Advance(teardown_.wake_ns() - clock_.monotonic_ns());
    }
    return (clock_.monotonic_ns() - begin) / kMs;
  }

  FakeClock clock_;
  FakeSet set_;
  Teardown teardown_{set_, clock_};
};

TEST_F(TeardownTest, IsOverAtOnceWhereThereIsNothing) {
  teardown_.Begin(5000, 0);
  EXPECT_EQ(RunToEnd(), 0);
  EXPECT_TRUE(set_.signals.empty());
  EXPECT_EQ(teardown_.report().left, 0);
}

TEST_F(TeardownTest, AsksPolitelyAndWakesStoppedProcesses) {
  set_.Add(FakeSet::kTerm);
  teardown_.Begin(5000, 1);
  EXPECT_EQ(set_.signals, (std::vector<int>{SIGTERM, SIGCONT}));
  EXPECT_EQ(RunToEnd(), 0);
  EXPECT_EQ(set_.kills, 0);
  EXPECT_EQ(teardown_.report().killed, 0);
  EXPECT_EQ(teardown_.report().left_over, 0);
}

TEST_F(TeardownTest, KillsAfterTheGrace) {
  set_.Add(FakeSet::kTerm);
  set_.Add(FakeSet::kKill);
  teardown_.Begin(5000, 1);
  EXPECT_FALSE(teardown_.Step(0));
  EXPECT_EQ(teardown_.phase(), StopPhase::kTerm);
  EXPECT_NEAR(static_cast<double>(RunToEnd()), 5000, 10);
  EXPECT_EQ(teardown_.report().killed, 1);
  EXPECT_EQ(teardown_.report().left, 0);
}

TEST_F(TeardownTest, KillsAtOnceWithoutAGrace) {
  set_.Add(FakeSet::kTerm);
  teardown_.Begin(0, 1);
  EXPECT_LT(RunToEnd(), 10);
  EXPECT_TRUE(set_.signals.empty());
  EXPECT_GE(set_.kills, 1);
}

TEST_F(TeardownTest, NamesWhatCannotBeRemoved) {
  set_.Add(FakeSet::kNever);
  teardown_.Begin(1000, 0);
  EXPECT_NEAR(static_cast<double>(RunToEnd()), 11'000, 10);
  EXPECT_EQ(teardown_.report().left, 1);
  EXPECT_EQ(teardown_.report().left_over, 1);
  EXPECT_EQ(teardown_.report().note, "not ended by SIGKILL: 100 (p, D)");
}

TEST_F(TeardownTest, WaitsForExitsToBeCollected) {
  teardown_.Begin(5000, 1);
  EXPECT_FALSE(teardown_.Step(1));
  EXPECT_TRUE(teardown_.Step(0));
}

TEST_F(TeardownTest, ASecondStopShortensTheGrace) {
  set_.Add(FakeSet::kKill);
  teardown_.Begin(60'000, 1);
  EXPECT_FALSE(teardown_.Step(0));
  teardown_.Begin(0, 1);
  EXPECT_LT(RunToEnd(), 10);
}

// An agent that could not open /proc found nothing, and told so.
TEST_F(TeardownTest, WhereNothingCanBeSeenNothingIsKnown) {
  set_.is_blind = true;
  teardown_.Begin(1000, 0);
  RunToEnd();
  EXPECT_EQ(teardown_.report().left, -1);
  EXPECT_NE(teardown_.report().note.find("/proc"), std::string::npos);
}

}  // namespace
}  // namespace zs
