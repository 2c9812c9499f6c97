#include "runner/agent/oom_watch.h"

#include <unistd.h>

#include "gtest/gtest.h"

namespace zs {
namespace {

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

TEST(OomWatchTest, NothingWasKilledMeanwhile) {
  OomWatch watch;
  EXPECT_EQ(watch.Kills(::getpid()), 0);
}

}  // namespace
}  // namespace zs
