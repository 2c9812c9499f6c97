// An agent whose runner is silent ends what it owns.
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/agent/message.h"
#include "runner/reach/connection.h"
#include "tests/fault/fault_test_base.h"

namespace zs::testing {
namespace {

class AgentLeaseTest : public ::testing::Test {
 protected:
  void Open(int64_t lease_ms) {
    auto connection = Connection::Open({kAgentPath}, {.lease_ms = lease_ms});
    ASSERT_OK(connection);
    connection_ = *std::move(connection);
    const RunRequest request = FakeTrain(1, {"--steps", "100000"});
    token_ = request.token;
    const RankRequest& rank = request.nodes[0].ranks[0];
    ASSERT_OK(
        connection_->Send(StartMsg{0, token_ + ".0", "", rank.argv, rank.env}));
  }

  // Whether a process of the run lives after at most 10 s of waiting for
  // WANTED.
  bool LivesWithin10s(bool wanted) {
    for (int i = 0; i < 1000 && ProcessesOf(token_).empty() == wanted; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return !ProcessesOf(token_).empty();
  }

  std::unique_ptr<Connection> connection_;
  std::string token_;
};

TEST_F(AgentLeaseTest, EndsEverythingWhenNothingIsHeard) {
  Open(/*lease_ms=*/500);
  EXPECT_TRUE(LivesWithin10s(true));
  EXPECT_FALSE(LivesWithin10s(false));
}

TEST_F(AgentLeaseTest, IsRenewedByPings) {
  Open(/*lease_ms=*/1000);
  ASSERT_TRUE(LivesWithin10s(true));
  for (int i = 0; i < 12; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    ASSERT_OK(connection_->Send(PingMsg{i}));
  }
  EXPECT_FALSE(ProcessesOf(token_).empty());
}

// What had arrived while an answer was being found out did not count.
TEST_F(AgentLeaseTest, IsNotOverWhileTheAgentItselfIsBusy) {
  Open(/*lease_ms=*/1000);
  ASSERT_TRUE(LivesWithin10s(true));
  ASSERT_OK(connection_->Send(QueryMsg{1, "run", {"9000", "sleep", "1.5"}}));
  for (int i = 0; i < 14; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    ASSERT_OK(connection_->Send(PingMsg{i}));
  }
  EXPECT_FALSE(ProcessesOf(token_).empty());
}

TEST_F(AgentLeaseTest, EndsEverythingWhenTheRunnerSaysRubbish) {
  Open(/*lease_ms=*/0);
  ASSERT_TRUE(LivesWithin10s(true));
  // A message that only agents send.
  ASSERT_OK(connection_->Send(PongMsg{}));
  EXPECT_FALSE(LivesWithin10s(false));
}

}  // namespace
}  // namespace zs::testing
