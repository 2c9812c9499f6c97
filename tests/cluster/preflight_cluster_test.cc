// Checks over ssh on four hosts (tests/cluster/four_hosts.sh).
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/spawn.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/check/preflight.h"

namespace zs::testing {
namespace {

const char* const kHosts[] = {"g0033", "g0034", "g0035", "g0036"};

class PreflightClusterTest : public ::testing::Test {
 protected:
  PreflightClusterTest() : pool_({"runner/agent/agent", ""}) {}

  void SetUp() override {
    const char* cluster = std::getenv("ZS_CLUSTER");
    if (cluster == nullptr) {
      GTEST_SKIP() << "needs tests/cluster/four_hosts.sh";
    }
    for (const char* host : kHosts) {
      request_.nodes.push_back(
          {host, {"ssh", "-F", std::string(cluster) + "/ssh_config", host}});
    }
    request_.master_addr = "g0033";
    request_.master_port = 26000;
  }

  void Ip(const std::vector<std::string>& args) {
    SpawnSpec spec;
    spec.argv = {"/sbin/ip"};
    spec.argv.insert(spec.argv.end(), args.begin(), args.end());
    const Result<pid_t> pid = Spawn(spec);
    ASSERT_OK(pid);
    ::waitpid(*pid, nullptr, 0);
  }

  // "CHECK NODE: found" of each result that is not ok.
  std::vector<std::string> Failures() {
    std::vector<std::string> failures;
    for (const CheckResult& result : RunPreflight(request_, pool_, 20'000)) {
      if (result.state != CheckState::kOk) {
        failures.push_back(result.name + " " + result.node + ": " +
                           result.found);
      }
    }
    return failures;
  }

  AgentPool pool_;
  PreflightRequest request_;
};

TEST_F(PreflightClusterTest, HealthyHostsPass) {
  EXPECT_EQ(Failures(), std::vector<std::string>());
}

TEST_F(PreflightClusterTest, HostThatIsDownIsTheOnlyFailure) {
  Ip({"link", "set", "v3", "down"});
  const std::vector<std::string> failures = Failures();
  Ip({"link", "set", "v3", "up"});
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_TRUE(failures[0].starts_with("reach g0035: ")) << failures[0];
}

TEST_F(PreflightClusterTest, MasterThatIsALoopbackOnOneHostIsFound) {
  // As Debian's installer writes it.
  const std::string path = "/etc/netns/g0033/hosts";
  std::string before;
  std::getline(std::ifstream(path), before, '\0');
  std::ofstream(path) << "127.0.0.1 localhost\n127.0.1.1 g0033\n";
  const std::vector<std::string> failures = Failures();
  std::ofstream(path) << before;
  ASSERT_GE(failures.size(), 1U);
  EXPECT_TRUE(failures[0].starts_with("master_address g0033: 127.0.1.1"))
      << failures[0];
}

TEST_F(PreflightClusterTest, HostThatDoesNotReachTheMasterIsFound) {
  Ip({"-n", "g0036", "route", "add", "unreachable", "10.77.0.1/32"});
  const std::vector<std::string> failures = Failures();
  Ip({"-n", "g0036", "route", "del", "unreachable", "10.77.0.1/32"});
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_TRUE(failures[0].starts_with("port_reachable g0036: ")) << failures[0];
}

}  // namespace
}  // namespace zs::testing
