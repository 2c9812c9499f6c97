#include "runner/reach/connection.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/reach/agent_pool.h"
#include "runner/reach/ask.h"

namespace zs {
namespace {

constexpr char kAgent[] = "runner/agent/agent";

// A connection to what SCRIPT does.
std::unique_ptr<Connection> OpenScript(const std::string& script) {
  auto connection = Connection::Open({"sh", "-c", script}, {});
  EXPECT_OK(connection);
  return *std::move(connection);
}

TEST(ConnectionTest, AgentAnswers) {
  AgentPool pool({kAgent, ""});
  const Result<Connection*> connection = pool.Get("here", {});
  ASSERT_OK(connection);
  const Result<std::string> host = Ask(**connection, {0, "host", {}}, 10'000);
  ASSERT_OK(host);
  EXPECT_NE(host->find("\ncores "), std::string::npos) << *host;
  ASSERT_TRUE((*connection)->greeting().has_value());
  EXPECT_FALSE((*connection)->greeting()->boot_id.empty());
  EXPECT_STATUS(Ask(**connection, {0, "nonsense", {}}, 10'000),
                StatusCode::kFailedPrecondition, "nonsense");
}

TEST(ConnectionTest, AgentThatDiedWhileNobodyListenedIsReplaced) {
  AgentPool pool({kAgent, "subreaper"});
  const Result<Connection*> first = pool.Get("here", {});
  ASSERT_OK(first);
  ASSERT_OK(Ask(**first, {0, "host", {}}, 10'000));
  const auto pid = static_cast<pid_t>((*first)->greeting()->pid);
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  pollfd ended = {(*first)->out_fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&ended, 1, 10'000), 1);
  const Result<Connection*> second = pool.Get("here", {});
  ASSERT_OK(second);
  EXPECT_OK(Ask(**second, {0, "host", {}}, 10'000));
  EXPECT_NE((*second)->greeting()->pid, pid);
}

TEST(ConnectionTest, PickedPortIsFreeAndOutsideTheKernelsRange) {
  AgentPool pool({kAgent, ""});
  const Result<Connection*> connection = pool.Get("here", {});
  ASSERT_OK(connection);
  const auto port = Ask(**connection, {0, "pick_port", {}}, 10'000);
  ASSERT_OK(port);
  EXPECT_GE(std::stoi(*port), 20'000);
  EXPECT_LT(std::stoi(*port), 32'768);
  const auto free = Ask(**connection, {0, "port_free", {*port}}, 10'000);
  ASSERT_OK(free);
  EXPECT_EQ(*free, "free");
  for (const char* bad : {"", "0", "65536", "12x", "-1"}) {
    EXPECT_STATUS(Ask(**connection, {0, "port_free", {bad}}, 10'000),
                  StatusCode::kFailedPrecondition, bad);
  }
}

TEST(ConnectionTest, PoolKeepsAnAgentAndReplacesADeadOne) {
  AgentPool pool({kAgent, ""});
  Connection* first = *pool.Get("here", {});
  ASSERT_OK(Ask(*first, {0, "host", {}}, 10'000));
  EXPECT_EQ(*pool.Get("here", {}), first);
  const int64_t pid = first->greeting()->pid;
  ASSERT_EQ(::kill(static_cast<pid_t>(pid), SIGKILL), 0);
  EXPECT_STATUS(Ask(*first, {0, "host", {}}, 10'000), StatusCode::kUnavailable,
                "");
  Connection* second = *pool.Get("here", {});
  ASSERT_OK(Ask(*second, {0, "host", {}}, 10'000));
  EXPECT_NE(second->greeting()->pid, pid);
}

TEST(ConnectionTest, SkipsWhatALoginShellPrints) {
  auto connection = OpenScript(
      "echo Welcome to ZS; printf 'no line feed'; exec runner/agent/agent");
  EXPECT_OK(Ask(*connection, {0, "host", {}}, 10'000));
}

TEST(ConnectionTest, SaysHowACommandFailed) {
  auto connection = OpenScript("echo 'Permission denied' >&2; exit 255");
  EXPECT_STATUS(Ask(*connection, {0, "host", {}}, 10'000),
                StatusCode::kUnavailable, "");
  connection->Close(10'000);
  EXPECT_NE(connection->Obituary().find("ended with exit 255: Permission"),
            std::string::npos)
      << connection->Obituary();
}

TEST(ConnectionTest, RefusesEndlessNoise) {
  auto connection = OpenScript("exec cat /dev/zero");
  EXPECT_STATUS(Ask(*connection, {0, "host", {}}, 10'000),
                StatusCode::kUnavailable, "");
  EXPECT_EQ(connection->status().code(), StatusCode::kDataLoss);
}

TEST(ConnectionTest, RefusesGarbageAfterTheMarker) {
  auto connection =
      OpenScript("printf '\\nzerosweep-agent-1\\nrubbish rubbish'; sleep 9");
  EXPECT_STATUS(Ask(*connection, {0, "host", {}}, 10'000),
                StatusCode::kUnavailable, "");
  EXPECT_EQ(connection->status().code(), StatusCode::kDataLoss);
  connection->Close(0);
}

TEST(ConnectionTest, SaysThatNobodyAnswers) {
  auto connection = OpenScript("exec sleep 9");
  EXPECT_STATUS(Ask(*connection, {0, "host", {}}, 50),
                StatusCode::kDeadlineExceeded, "50 ms");
  connection->Close(0);
}

// Each of them was waited for in turn.
TEST(ConnectionTest, ManyThatHangEndTogether) {
  double begin_s = 0;
  {
    AgentPool pool({kAgent, ""});
    for (int node = 0; node < 8; ++node) {
      ASSERT_OK(pool.Get("n" + std::to_string(node),
                         {"sh", "-c", "exec sleep 1000", "sh"}));
    }
    begin_s = RealClock().monotonic_s();
  }
  EXPECT_LT(RealClock().monotonic_s() - begin_s, 6);
}

TEST(ConnectionTest, CommandThatClosesItsStderrAndRunsOnIsEnded) {
  const double begin_s = RealClock().monotonic_s();
  {
    auto connection = OpenScript("exec 2>&- >&-; exec sleep 1000");
    pollfd ended = {connection->err_fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&ended, 1, 10'000), 1);
    connection->ReadErr();
    EXPECT_TRUE(connection->ended());
  }
  EXPECT_LT(RealClock().monotonic_s() - begin_s, 10);
}

}  // namespace
}  // namespace zs
