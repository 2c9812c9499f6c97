#include "runner/agent/process_table.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/spawn.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(ProcessTableTest, ReadsANameWithBlanksAndParentheses) {
  // A line of proc(5), shortened behind the start time.
  const auto info = ParseStat(
      "42 (a) S (b c)) R 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 "
      "100 200");
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->pid, 42);
  EXPECT_EQ(info->name, "a) S (b c)");
  EXPECT_EQ(info->state, 'R');
  EXPECT_EQ(info->parent, 7);
  EXPECT_EQ(info->start_ticks, 9876U);
}

TEST(ProcessTableTest, RefusesWhatIsNoStatLine) {
  for (const char* text : {"", "42", "42 (a", "42 (a) R", "x (a) R 1", ") (",
                           "42 (a) R 7 42 42 0 -1 4194560 1 2"}) {
    EXPECT_FALSE(ParseStat(text).has_value()) << text;
  }
}

TEST(ProcessTableTest, ListsThisProcess) {
  bool found = false;
  for (const ProcessInfo& info : ListProcesses()) {
    found |= info.pid == ::getpid() && info.parent == ::getppid();
  }
  EXPECT_TRUE(found);
}

TEST(ProcessTableTest, FindsAWholeVariableOnly) {
  SpawnSpec spec;
  spec.argv = {"sleep", "60"};
  spec.env = {"PATH=/usr/bin:/bin", "ZS_RUN_TOKEN=abc", "LAST=1"};
  const Result<pid_t> pid = Spawn(spec);
  ASSERT_OK(pid);
  // The kernel shows a new program's environment a moment after exec has let
  // the parent go on.
  for (int turn = 0; turn < 500 && !StartedWith(*pid, "LAST=1"); ++turn) {
    ::usleep(10'000);
  }
  EXPECT_TRUE(StartedWith(*pid, "ZS_RUN_TOKEN=abc"));
  EXPECT_TRUE(StartedWith(*pid, "LAST=1"));
  EXPECT_FALSE(StartedWith(*pid, "ZS_RUN_TOKEN=ab"));
  EXPECT_FALSE(StartedWith(*pid, "RUN_TOKEN=abc"));
  ::kill(*pid, SIGKILL);
  ::waitpid(*pid, nullptr, 0);
}

TEST(ProcessTableTest, SignalsOneProcessAndNoOtherWithItsNumber) {
  SpawnSpec spec;
  spec.argv = {"sleep", "60"};
  spec.env = {"PATH=/usr/bin:/bin"};
  const Result<pid_t> pid = Spawn(spec);
  ASSERT_OK(pid);
  ProcessInfo stranger = *ReadProcess(*pid);
  stranger.start_ticks += 1;
  EXPECT_FALSE(SignalProcess(stranger, SIGKILL));
  EXPECT_TRUE(ReadProcess(*pid)->alive());
  EXPECT_TRUE(SignalProcess(*ReadProcess(*pid), SIGKILL));
  int status = 0;
  ::waitpid(*pid, &status, 0);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(ProcessTableTest, RefusesTheFirstProcessAndGroups) {
  ProcessInfo init = *ReadProcess(1);
  EXPECT_FALSE(SignalProcess(init, 0));
  init.pid = 0;
  EXPECT_FALSE(SignalProcess(init, 0));
  init.pid = -1;
  EXPECT_FALSE(SignalProcess(init, 0));
}

}  // namespace
}  // namespace zs
