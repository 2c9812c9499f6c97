// What ranks are started with, limits and a login shell's environment, and what
// becomes of them where memory runs out.
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "gtest/gtest.h"
#include "tests/fault/fault_test_base.h"

namespace zs::testing {
namespace {

using RankSettingsTest = FaultTest;

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(RankSettingsTest, LimitsAreSetAndTold) {
  RunRequest request = FakeTrain(1, {});
  request.nodes[0].ranks[0].argv = {"sh", "-c", "ulimit -n; ulimit -c"};
  request.process_limits = {"open_files=77", "core_bytes=0"};
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
  EXPECT_EQ(observer_.lines(0), (std::vector<std::string>{"77", "0"}));
  EXPECT_TRUE(
      Contains(outcome.ranks[0].in_effect, "open_files 77, core_bytes 0"))
      << outcome.ranks[0].in_effect;
}

TEST_F(RankSettingsTest, LimitThatCannotBeRaisedNamesTheHardOne) {
  RunRequest request = FakeTrain(1, {});
  request.process_limits = {"open_files=1000000000"};  // beyond fs.nr_open
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kNotStarted);
  EXPECT_EQ(outcome.cause, "start_failed");
  EXPECT_TRUE(
      Contains(outcome.reason, "open_files to 1000000000 (the hard limit is "))
      << outcome.reason;
  ExpectNextRunPasses();
}

TEST_F(RankSettingsTest, LoginShellLiesBelowTheExperimentsOwnVariables) {
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/.profile",
                                  "export OF_LOGIN='a b' OF_BOTH=login\n")
                  .ok());
  ::setenv("HOME", folder_.c_str(), 1);
  ::setenv("SHELL", "/bin/sh", 1);
  RunRequest request = FakeTrain(1, {});
  request.nodes[0].ranks[0].argv = {"sh", "-c", "echo \"$OF_LOGIN,$OF_BOTH\""};
  request.nodes[0].ranks[0].env = {"OF_BOTH=experiment"};
  request.login_shell = true;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
  EXPECT_EQ(observer_.lines(0), std::vector<std::string>{"a b,experiment"});
  EXPECT_TRUE(Contains(outcome.ranks[0].in_effect, "login shell /bin/sh: "));
  EXPECT_TRUE(Contains(outcome.ranks[0].in_effect, " OF_LOGIN"));
  EXPECT_FALSE(Contains(outcome.ranks[0].in_effect, "a b"));
}

TEST_F(RankSettingsTest, LoginShellThatFailsRefusesTheStart) {
  ASSERT_TRUE(
      WriteFileAtomically(folder_ + "/.profile", "echo broken; exit 4\n").ok());
  ::setenv("HOME", folder_.c_str(), 1);
  ::setenv("SHELL", "/bin/sh", 1);
  RunRequest request = FakeTrain(1, {});
  request.login_shell = true;
  const RunOutcome outcome = Supervise(request);
  EXPECT_EQ(outcome.cause, "start_failed");
  EXPECT_TRUE(Contains(outcome.reason, "login shell /bin/sh"))
      << outcome.reason;
  EXPECT_TRUE(Contains(outcome.reason, "broken")) << outcome.reason;
}

// Where a memory cgroup may be made (cgroup_test); version 1 or 2.
TEST_F(RankSettingsTest, KernelOutOfMemoryIsToldFromAnyOtherKill) {
  const std::string group =
      "/sys/fs/cgroup/memory/zs-test-" + std::to_string(::getpid());
  if (::mkdir(group.c_str(), 0755) != 0) {
    GTEST_SKIP() << "no memory cgroup may be made here";
  }
  std::ofstream(group + "/memory.limit_in_bytes") << (32 << 20);
  RunRequest request = FakeTrain(1, {});
  request.nodes[0].ranks[0].argv = {"sh", "-c",
                                    "echo eating; echo 0 > " + group +
                                        "/cgroup.procs && exec tail /dev/zero"};
  const RunOutcome outcome = Supervise(request);
  ::rmdir(group.c_str());
  EXPECT_EQ(outcome.state, ProcessState::kFailed);
  EXPECT_EQ(outcome.cause, "oom_killed") << outcome.reason;
  EXPECT_TRUE(Contains(outcome.reason,
                       "rank 0 on here: signal 9 (SIGKILL), oom_killed: memory "
                       "ran out and the kernel killed it"))
      << outcome.reason;
  ExpectNextRunPasses();
}

}  // namespace
}  // namespace zs::testing
