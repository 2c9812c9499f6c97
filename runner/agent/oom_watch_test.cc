#include "runner/agent/oom_watch.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "runner/agent/cgroup.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

TEST(OomWatchTest, KnowsTheKernelsWords) {
  const char* const global =
      "3,571,25006506883,-;Out of memory: Killed process 4089 (python3) "
      "total-vm:53780kB, anon-rss:50816kB";
  const char* const of_group =
      "3,571,25006506883,-;Memory cgroup out of memory: Killed process 4089 "
      "(tail) total-vm:53780kB";
  for (const char* record : {global, of_group}) {
    EXPECT_TRUE(TellsOfOomKill(record, 4089)) << record;
    EXPECT_FALSE(TellsOfOomKill(record, 408)) << record;
    EXPECT_FALSE(TellsOfOomKill(record, 40890)) << record;
  }
  EXPECT_FALSE(TellsOfOomKill("6,1,1,-;usb 1-1: new device 4089 (", 4089));
}

// A group of version 2 as the kernel shows it.
class OomWatchInGroupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(group_ / "below");
    std::ofstream(group_ / "cgroup.procs") << "";
    std::ofstream(group_ / "below" / "cgroup.procs") << "";
    Count(2);
  }

  void Count(int kills) {
    std::ofstream(group_ / "memory.events")
        << "low 0\nhigh 0\nmax 31\noom 3\noom_kill " << kills
        << "\noom_group_kill 0\n";
  }

  const fs::path group_ = fs::path(::testing::TempDir()) / "oom_group";
};

TEST_F(OomWatchInGroupTest, TheGroupsOwnCounterIsBelieved) {
  const std::string events = NearestMemoryEvents(group_ / "below");
  EXPECT_EQ(events, group_ / "memory.events");
  OomWatch watch(events);
  EXPECT_EQ(watch.Kills(::getpid()), 0);
  Count(3);
  EXPECT_EQ(watch.Kills(::getpid()), 1);
}

TEST_F(OomWatchInGroupTest, AFolderThatIsNoGroupCountsNothing) {
  EXPECT_EQ(NearestMemoryEvents(::testing::TempDir() + "/nothing"), "");
  fs::remove(group_ / "memory.events");
  EXPECT_EQ(NearestMemoryEvents(group_ / "below"), "");
  OomWatch watch((group_ / "memory.events").string());
  EXPECT_EQ(watch.Kills(::getpid()), 0);
}

TEST(OomWatchTest, ReadsTheKernelsCounts) {
  EXPECT_EQ(OomKillsIn("oom 5\noom_kill 4\noom_group_kill 9\n"), 4);
  EXPECT_EQ(OomKillsIn("oom 5\n"), std::nullopt);
  EXPECT_EQ(OomKillsIn(""), std::nullopt);
}

TEST(OomWatchTest, NothingWasKilledMeanwhile) {
  OomWatch watch;
  EXPECT_EQ(watch.Kills(::getpid()), 0);
}

}  // namespace
}  // namespace zs
