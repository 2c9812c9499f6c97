// Runs over ssh on four hosts (tests/cluster/four_hosts.sh).
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/spawn.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/agent/process_table.h"
#include "runner/reach/ask.h"
#include "runner/supervise/supervise.h"
#include "tests/fault/fault_test_base.h"

namespace zs::testing {
namespace {

const char* const kHosts[] = {"g0033", "g0034", "g0035", "g0036"};

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string Hex(const std::string& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

// Does something when rank 0 has done its second step.
class Saboteur : public LineObserver {
 public:
  explicit Saboteur(std::function<void()> act) : act_(std::move(act)) {}

 protected:
  void OnLine(int rank, const std::string& line,
              RunProgress& progress) override {
    LineObserver::OnLine(rank, line, progress);
    if (rank == 0 && line == "step 2") {
      act_();
    }
  }

 private:
  std::function<void()> act_;
};

class ReachClusterTest : public FaultTest {
 protected:
  void SetUp() override {
    cluster_ =
        std::getenv("ZS_CLUSTER") == nullptr ? "" : std::getenv("ZS_CLUSTER");
    if (cluster_.empty()) {
      GTEST_SKIP() << "needs tests/cluster/four_hosts.sh";
    }
  }

  void TearDown() override {
    for (int k = 1; k <= 4 && !cluster_.empty(); ++k) {
      Ip({"link", "set", "v" + std::to_string(k), "up"});
    }
  }

  // Two ranks on each of the four hosts, reached by ssh and then THROUGH.
  RunRequest FourHosts(const std::vector<std::string>& args,
                       const std::vector<std::string>& through = {}) {
    const RunRequest local = FakeTrain(8, args);
    RunRequest request = local;
    request.nodes.clear();
    for (int k = 0; k < 4; ++k) {
      NodeRequest node;
      node.name = kHosts[k];
      node.reach = {"ssh", "-F", cluster_ + "/ssh_config", kHosts[k]};
      node.reach.insert(node.reach.end(), through.begin(), through.end());
      node.cwd = std::filesystem::current_path().string();
      node.ranks = {local.nodes[0].ranks[2 * k],
                    local.nodes[0].ranks[2 * k + 1]};
      request.nodes.push_back(node);
    }
    return request;
  }

  void Ip(std::vector<std::string> args) {
    SpawnSpec spec;
    spec.argv = {"/sbin/ip"};
    spec.argv.insert(spec.argv.end(), args.begin(), args.end());
    const Result<pid_t> pid = Spawn(spec);
    ASSERT_OK(pid);
    ::waitpid(*pid, nullptr, 0);
  }

  // Whether nothing of the run with TOKEN is left after at most TIMEOUT_S.
  bool AllGone(const std::string& token, double timeout_s) {
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration<double>(timeout_s);
    while (!ProcessesOf(token).empty()) {
      if (std::chrono::steady_clock::now() > end) {
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  std::string cluster_;
};

TEST_F(ReachClusterTest, RunsOnFourHostsAndPutsTheAgentOnEach) {
  const RunOutcome outcome = Supervise(FourHosts({}));
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
  EXPECT_EQ(outcome.ranks.size(), 8U);
  EXPECT_EQ(observer_.lines(7).back(), "step 3");
  for (const char* host : kHosts) {
    const std::filesystem::directory_iterator cache(cluster_ + "/" + host +
                                                    "/zerosweep");
    EXPECT_EQ(std::distance(begin(cache), end(cache)), 1);
  }
  const RunOutcome again = Supervise(FourHosts({"--steps", "0"}));
  EXPECT_EQ(again.state, ProcessState::kExited) << again.reason;
  RecordProperty("second_run_ms",
                 static_cast<int>(again.timings.clean_s * 1000));
}

TEST_F(ReachClusterTest, RunsBehindDockerExecBehindSsh) {
  const std::string docker = std::filesystem::current_path().string() +
                             "/tests/cluster/docker_stand_in.sh";
  const RunOutcome outcome =
      Supervise(FourHosts({}, {docker, "exec", "-i", "megatron"}));
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
  const RunOutcome wrong =
      Supervise(FourHosts({}, {docker, "exec", "-i", "nothere"}));
  EXPECT_EQ(wrong.cause, "unreachable");
  EXPECT_TRUE(Contains(wrong.reason, "No such container: nothere"))
      << wrong.reason;
}

TEST_F(ReachClusterTest, FailingRankEndsTheRunOnAllHosts) {
  const RunOutcome outcome = Supervise(
      FourHosts({"--steps", "100000", "--daemon", "--exit", "5", "3", "9"}));
  EXPECT_EQ(outcome.reason, "rank 5 on g0035: exit 9; 'leaving with 9'");
  EXPECT_LT(outcome.timings.clean_s, 20);
}

TEST_F(ReachClusterTest, HostThatIsDownIsNamedAndNothingStarts) {
  Ip({"link", "set", "v3", "down"});
  RunRequest request = FourHosts({});
  request.limits.reach_s = 20;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.cause, "unreachable");
  EXPECT_TRUE(Contains(outcome.reason, "g0035")) << outcome.reason;
  EXPECT_TRUE(observer_.lines(0).empty());
}

TEST_F(ReachClusterTest, UnknownHostIsNamed) {
  RunRequest request = FourHosts({});
  request.nodes[1].reach[3] = "g9999";
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.cause, "unreachable");
  EXPECT_TRUE(Contains(outcome.reason, "node g0034: ")) << outcome.reason;
  EXPECT_TRUE(Contains(outcome.reason, "g9999")) << outcome.reason;
}

TEST_F(ReachClusterTest, CutCableLosesTheNodeAndItsAgentEndsItsRanks) {
  Saboteur observer([this] { Ip({"link", "set", "v2", "down"}); });
  RunRequest request =
      FourHosts({"--steps", "100000", "--dt_ms", "50", "--daemon"});
  request.limits.lease_s = 4;
  const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
  EXPECT_EQ(outcome.state, ProcessState::kLost) << outcome.reason;
  EXPECT_EQ(outcome.first_failed_node, "g0034");
  EXPECT_TRUE(outcome.clean_up[0].clean());
  EXPECT_FALSE(outcome.clean_up[1].verified);
  // Nobody can tell the cut host: its agent does it by itself.
  EXPECT_TRUE(AllGone(request.token, 15));
  // Back again, it tells how its ranks ended.
  Ip({"link", "set", "v2", "up"});
  const auto agent = pool_.Get("g0034", request.nodes[1].reach);
  ASSERT_OK(agent);
  const auto record =
      Ask(**agent, {0, "record", {request.token + ".1"}}, 20'000);
  ASSERT_OK(record);
  EXPECT_TRUE(Contains(*record, "nothing was heard of the runner for 4 s"))
      << *record;
  EXPECT_TRUE(Contains(*record, "exited 2 ")) << *record;
}

TEST_F(ReachClusterTest, CableThatIsCutAndHealedWithinTheLeaseLosesNothing) {
  std::thread healer;
  Saboteur observer([this, &healer] {
    Ip({"link", "set", "v2", "down"});
    healer = std::thread([this] {
      std::this_thread::sleep_for(std::chrono::seconds(8));
      Ip({"link", "set", "v2", "up"});
    });
  });
  RunRequest request = FourHosts({"--steps", "250", "--dt_ms", "50"});
  request.limits.lease_s = 15;
  request.limits.hang_s = 2;
  const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
  healer.join();
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].code, "link_lost");
  EXPECT_EQ(outcome.findings[0].node, "g0034");
  for (const int rank : {2, 3}) {
    const std::vector<std::string> lines = observer.lines(rank);
    ASSERT_EQ(lines.size(), 251U);
    for (int step = 1; step <= 250; ++step) {
      ASSERT_EQ(lines[static_cast<size_t>(step)],
                "step " + std::to_string(step));
    }
  }
  EXPECT_TRUE(outcome.clean());
}

TEST_F(ReachClusterTest, KilledSshIsReplacedAndTheRunGoesOn) {
  Saboteur observer([] {
    for (const ProcessInfo& process : ListProcesses()) {
      if (process.name == "ssh" && process.parent == ::getpid()) {
        SignalProcess(process, SIGKILL);
        return;
      }
    }
  });
  const RunOutcome outcome = zs::Supervise(
      FourHosts({"--steps", "100", "--dt_ms", "20"}), pool_, observer, stop_);
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_TRUE(Contains(outcome.findings[0].evidence, "SIGKILL"))
      << outcome.findings[0].evidence;
  EXPECT_TRUE(outcome.clean());
}

TEST_F(ReachClusterTest, KilledAgentIsALostNodeAndIsLookedAtAgain) {
  const RunRequest request = FourHosts(
      {"--steps", "100000", "--dt_ms", "20", "--daemon", "--ignore_term"});
  Saboteur observer([] {
    for (const ProcessInfo& process : ListProcesses()) {
      const auto parent = ReadProcess(process.parent);
      if (process.name == "fake_train" && parent &&
          parent->name.starts_with("agent-")) {
        SignalProcess(*parent, SIGKILL);
        return;
      }
    }
  });
  const RunOutcome outcome = zs::Supervise(request, pool_, observer, stop_);
  EXPECT_EQ(outcome.state, ProcessState::kLost) << outcome.reason;
  EXPECT_TRUE(outcome.clean()) << outcome.reason;
  EXPECT_TRUE(ProcessesOf(request.token).empty());
}

// launch-cases 001, 002, 004, 005: what shells, ssh and docker would change.
TEST_F(ReachClusterTest, WordsArriveUntouched) {
  const std::vector<std::string> words = {"a b",
                                          "it's",
                                          "say \"hi\"",
                                          "$HOME",
                                          "`id`",
                                          "a\nb",
                                          "{\"k\": [1, \"x y\"]}",
                                          "*",
                                          "~",
                                          "-n",
                                          "",
                                          "\xc3\xa9 \xc3\xbc",
                                          "a;b",
                                          "!x",
                                          "\\",
                                          "%n",
                                          "a#b",
                                          "x\ty",
                                          "trail\n",
                                          "--",
                                          "A=B",
                                          std::string(100'000, 'w')};
  // As bytes in hexadecimal: an argument a line, then the variables.
  constexpr char kScript[] =
      "import os, sys\n"
      "for word in sys.argv[1:]: print('arg', os.fsencode(word).hex())\n"
      "for k in range(int(os.environ['COUNT'])):\n"
      "    print('env', os.environb[b'ZS_W%d' % k].hex())\n"
      "print('env', os.environb[b'FOO.BAR'].hex())\n";
  RunRequest request = FourHosts({}, {"docker", "exec", "-i", "megatron"});
  std::vector<std::string> argv = {"/usr/bin/python3", "-c", kScript};
  argv.insert(argv.end(), words.begin(), words.end());
  for (NodeRequest& node : request.nodes) {
    for (RankRequest& rank : node.ranks) {
      rank.argv = argv;
      rank.env.push_back("COUNT=" + std::to_string(words.size()));
      rank.env.push_back("FOO.BAR=1");
      for (size_t k = 0; k < words.size(); ++k) {
        rank.env.push_back("ZS_W" + std::to_string(k) + "=" + words[k]);
      }
    }
  }
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
  std::vector<std::string> expected;
  for (const char* kind : {"arg ", "env "}) {
    for (const std::string& word : words) {
      expected.push_back(kind + Hex(word));
    }
  }
  expected.push_back("env " + Hex("1"));
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(observer_.lines(rank), expected) << rank;
  }
}

}  // namespace
}  // namespace zs::testing
