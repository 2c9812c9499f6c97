// Nodes and agents that fail: the run says which node was lost or not reached,
// nothing is left, and the next run passes.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/fault/fault_test_base.h"

namespace zs::testing {
namespace {

using NodeFaultTest = FaultTest;

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The names in FOLDER.
std::vector<std::string> EntriesOf(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

// Kills the agent, its keeper (the agent's parent), or both when rank 0 has
// done a step.
class AgentKiller : public LineObserver {
 public:
  AgentKiller(std::string token, bool agent, bool keeper)
      : token_(std::move(token)), agent_(agent), keeper_(keeper) {}

 protected:
  void OnLine(int rank, const std::string& line,
              RunProgress& progress) override {
    LineObserver::OnLine(rank, line, progress);
    if (rank != 0 || line != "step 2") {
      return;
    }
    // Of this run alone: other tests run beside this one.
    for (const ProcessInfo& process : ProcessesOf(token_)) {
      const auto agent = ReadProcess(process.parent);
      if (!agent || agent->name != "agent") {
        continue;
      }
      if (keeper_) {
        ::kill(agent->parent, SIGKILL);
      }
      if (agent_) {
        ::kill(agent->pid, SIGKILL);
      }
      return;
    }
  }

 private:
  std::string token_;
  bool agent_;
  bool keeper_;
};

class AgentKilledTest
    : public FaultTest,
      public ::testing::WithParamInterface<std::pair<bool, bool>> {};

TEST_P(AgentKilledTest, IsALostNodeAndNothingIsLeft) {
  const RunRequest request =
      FakeTrain(2, {"--steps", "100000", "--daemon", "--ignore_term"});
  AgentKiller observer(request.token, GetParam().first, GetParam().second);
  const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
  EXPECT_EQ(outcome.state, ProcessState::kLost);
  EXPECT_EQ(outcome.cause, "node_lost");
  EXPECT_TRUE(Contains(outcome.reason, "node here: ")) << outcome.reason;
  EXPECT_TRUE(Contains(outcome.reason, "was ended by SIGKILL"))
      << outcome.reason;
  EXPECT_TRUE(outcome.clean());
  EXPECT_TRUE(ProcessesOf(request.token).empty());
  ExpectNextRunPasses();
}

INSTANTIATE_TEST_SUITE_P(AgentKeeperBoth, AgentKilledTest,
                         ::testing::Values(std::pair(true, false),
                                           std::pair(false, true),
                                           std::pair(true, true)));

TEST_F(NodeFaultTest, TwoNodesOfThisHostFailAndEndTogether) {
  RunRequest request =
      FakeTrain(2, {"--steps", "100000", "--exit", "1", "3", "5"});
  NodeRequest second;
  second.name = "there";
  second.ranks.push_back(request.nodes[0].ranks[1]);
  request.nodes[0].ranks.pop_back();
  request.nodes.push_back(second);
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.reason, "rank 1 on there: exit 5; 'leaving with 5'");
  EXPECT_EQ(outcome.first_failed_node, "there");
  ASSERT_EQ(outcome.clean_up.size(), 2U);
  EXPECT_TRUE(outcome.ranks[0].stopped_by_us);
}

TEST_F(NodeFaultTest, NodeThatCannotBeReachedIsNamedAndNothingStarts) {
  RunRequest request = FakeTrain(1, {});
  NodeRequest second;
  second.name = "far";
  second.reach = {"sh", "-c", "echo 'No route to host' >&2; exit 255"};
  second.ranks.push_back(request.nodes[0].ranks[0]);
  second.ranks[0].rank = 1;
  request.nodes.push_back(second);
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kNotStarted);
  EXPECT_EQ(outcome.cause, "unreachable");
  EXPECT_TRUE(Contains(outcome.reason, "node far: ")) << outcome.reason;
  EXPECT_TRUE(Contains(outcome.reason, "No route to host")) << outcome.reason;
  EXPECT_TRUE(observer_.lines(0).empty());
  ExpectNextRunPasses();
}

TEST_F(NodeFaultTest, SilentNodeIsUnreachableAfterItsLimit) {
  RunRequest request = FakeTrain(1, {});
  request.nodes[0].reach = {"sh", "-c", "exec sleep 5"};
  request.limits.reach_s = 0.3;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.cause, "unreachable");
  EXPECT_EQ(outcome.reason, "no answer within 0.3 s from: here");
}

TEST_F(NodeFaultTest, HostileAgentIsALostNode) {
  RunRequest request = FakeTrain(1, {});
  request.nodes[0].reach = {
      "sh", "-c", "printf '\\nzerosweep-agent-1\\n\\377\\377garbage'; sleep 5"};
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kNotStarted);
  EXPECT_TRUE(Contains(outcome.reason, "no frames")) << outcome.reason;
}

TEST_F(NodeFaultTest, AgentIsPutWhereItIsMissingAndFoundTheNextTime) {
  // As ssh does it: the words are joined and read by a shell, in another home.
  RunRequest request = FakeTrain(2, {"--print_env", "HOME"});
  request.nodes[0].reach = {
      "sh", "-c", "export HOME=" + folder_ + "; exec sh -c \"$*\"", "far"};
  EXPECT_EQ(Supervise(request).state, ProcessState::kExited);
  const std::vector<std::string> lines = observer_.lines(0);
  EXPECT_NE(std::find(lines.begin(), lines.end(), "env " + folder_),
            lines.end());
  const std::string cache = folder_ + "/.cache/zerosweep";
  EXPECT_EQ(EntriesOf(cache).size(), 1U);
  pool_.Discard("here", request.nodes[0].reach);
  request.token += "-again";
  EXPECT_EQ(Supervise(request).state, ProcessState::kExited);
  EXPECT_EQ(EntriesOf(cache).size(), 1U);
}

TEST_F(NodeFaultTest, TwoNodesWithOneHomeMayAskForTheAgentAtOnce) {
  RunRequest request = FakeTrain(2, {});
  NodeRequest& first = request.nodes[0];
  first.reach = {"env", "HOME=" + folder_};
  NodeRequest second = first;
  second.name = "there";
  first.ranks.pop_back();
  second.ranks.erase(second.ranks.begin());
  request.nodes.push_back(second);
  EXPECT_EQ(Supervise(request).state, ProcessState::kExited);
  EXPECT_EQ(EntriesOf(folder_ + "/.cache/zerosweep").size(), 1U);
}

TEST_F(NodeFaultTest, AgentThatIsUsedDoesNotGrowOld) {
  RunRequest request = FakeTrain(1, {});
  request.nodes[0].reach = {"env", "HOME=" + folder_};
  EXPECT_EQ(Supervise(request).state, ProcessState::kExited);
  const std::string cache = folder_ + "/.cache/zerosweep/";
  const std::string agent = cache + EntriesOf(cache).at(0);
  const auto now = std::filesystem::last_write_time(agent);
  std::filesystem::last_write_time(agent, now - std::chrono::hours(30 * 24));
  pool_.Discard("here", request.nodes[0].reach);
  request.token += "-again";
  EXPECT_EQ(Supervise(request).state, ProcessState::kExited);
  EXPECT_GE(std::filesystem::last_write_time(agent), now);
}

// A node that lost its power while the agent was written.
TEST_F(NodeFaultTest, AgentThatACrashLeftEmptyIsReplaced) {
  RunRequest request = FakeTrain(1, {});
  request.nodes[0].reach = {"env", "HOME=" + folder_};
  EXPECT_EQ(Supervise(request).state, ProcessState::kExited);
  const std::string cache = folder_ + "/.cache/zerosweep/";
  const std::vector<std::string> agents = EntriesOf(cache);
  ASSERT_EQ(agents.size(), 1U);
  pool_.Discard("here", request.nodes[0].reach);
  std::filesystem::remove(cache + agents[0]);  // it may still be running
  std::ofstream(cache + agents[0]).close();
  std::filesystem::permissions(cache + agents[0],
                               std::filesystem::perms::owner_all);
  request.token += "-again";
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
}

TEST_F(NodeFaultTest, FolderWithoutProgramsIsNamed) {
  const std::string mount = "mount -t tmpfs -o noexec tmpfs " + folder_;
  if (std::system(("unshare -m sh -c '" + mount + "' 2>/dev/null").c_str()) !=
      0) {
    GTEST_SKIP() << "no file system may be mounted here";
  }
  RunRequest request = FakeTrain(1, {});
  request.nodes[0].reach = {
      "unshare", "-m", "sh", "-c", mount + "; HOME=" + folder_ + " exec \"$@\"",
      "far"};
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.cause, "unreachable");
  EXPECT_TRUE(Contains(outcome.reason, "it is mounted noexec"))
      << outcome.reason;
}

TEST_F(NodeFaultTest, FolderThatCannotBeMadeIsNamed) {
  RunRequest request = FakeTrain(1, {});
  request.nodes[0].reach = {"env", "HOME=/proc"};
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.cause, "unreachable");
  EXPECT_TRUE(Contains(outcome.reason, "/proc/.cache/zerosweep"))
      << outcome.reason;
}

}  // namespace
}  // namespace zs::testing
