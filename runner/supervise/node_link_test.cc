#include "runner/supervise/node_link.h"

#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

constexpr char kMuteAgent[] = "runner/supervise/mute_agent";

// Drives one link whose agent answers no question, in a time that the test
// makes pass.
class NodeLinkTest : public ::testing::Test {
 protected:
  NodeLinkTest()
      : starts_(::testing::TempDir() + "/starts" + std::to_string(::getpid())),
        pool_({kMuteAgent}),
        link_(node_, limits_, "token.0", {29'500}, pool_) {
    ::unlink(starts_.c_str());
    ::setenv("MUTE_AGENT_STARTS", starts_.c_str(), 1);
  }

  void Turn() {
    std::vector<pollfd> polled;
    link_.AddPolled(polled);
    if (::poll(polled.data(), polled.size(), /*timeout=*/5) > 0) {
      link_.Serve(polled, 0, now_s_);
    }
    while (link_.Take(now_s_)) {
    }
    link_.OnTime(now_s_);
  }

  // Whether STATE is reached by what the agent says, with no time passing.
  bool Comes(LinkState state) {
    const double end_s = RealClock().monotonic_s() + 20;
    while (link_.state() != state && RealClock().monotonic_s() < end_s) {
      Turn();
    }
    return link_.state() == state;
  }

  // Lets time pass until nothing is due any more: when that was.
  double End(double at_most_s) {
    const double end_s = now_s_ + at_most_s;
    while (link_.state() != LinkState::kDone && now_s_ < end_s) {
      if (link_.state() == LinkState::kSweeping) {
        (void)Comes(LinkState::kAsking);
      }
      now_s_ += 0.5;
      Turn();
    }
    return now_s_;
  }

  void BringToAsking() {
    ASSERT_OK(link_.Reach());
    ASSERT_TRUE(Comes(LinkState::kReady));
    link_.Stop(1, now_s_);
    ASSERT_TRUE(Comes(LinkState::kAsking));
  }

  size_t starts() const { return ReadFile(starts_)->size(); }

  std::string starts_;
  NodeRequest node_{.name = "here"};
  RunLimits limits_;
  AgentPool pool_;
  NodeLink link_;
  double now_s_ = 0;
};

// Each loss of a link that asked its last questions brought another agent.
TEST_F(NodeLinkTest, AgentThatAnswersNothingInTheEndIsReplacedOnce) {
  BringToAsking();
  EXPECT_LT(End(/*at_most_s=*/600), 60);
  EXPECT_EQ(link_.state(), LinkState::kDone);
  EXPECT_TRUE(link_.lost());
  EXPECT_FALSE(link_.receipt().verified);
  EXPECT_FALSE(link_.receipt().note.empty());
  EXPECT_EQ(starts(), 2U);
}

TEST_F(NodeLinkTest, UserWhoDoesNotWaitIsNotKept) {
  BringToAsking();
  link_.StopNow(now_s_);
  EXPECT_LE(End(/*at_most_s=*/600), 11);
  EXPECT_EQ(link_.state(), LinkState::kDone);
}

// It stays in the pool no longer: the next run would meet it again.
TEST_F(NodeLinkTest, AgentThatAnswersNothingIsForgotten) {
  BringToAsking();
  (void)End(/*at_most_s=*/600);
  ASSERT_OK(pool_.Get("here", {}));
  for (int i = 0; i < 1000 && starts() < 3; ++i) {
    ::usleep(10'000);
  }
  EXPECT_EQ(starts(), 3U);
}

}  // namespace
}  // namespace zs
