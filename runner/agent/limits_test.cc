#include "runner/agent/limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(LimitsTest, NamesBecomeResources) {
  const auto limits =
      ParseLimits({"memlock_bytes=-1", "open_files=4096", "core_bytes=0"});
  ASSERT_OK(limits.status());
  ASSERT_EQ(limits->size(), 3U);
  EXPECT_EQ((*limits)[0].resource, RLIMIT_MEMLOCK);
  EXPECT_EQ((*limits)[0].value, -1);
  EXPECT_EQ((*limits)[1].resource, RLIMIT_NOFILE);
  EXPECT_EQ((*limits)[1].value, 4096);
  EXPECT_EQ((*limits)[1].name, "open_files");
  EXPECT_EQ((*limits)[2].resource, RLIMIT_CORE);
}

TEST(LimitsTest, WhatIsNoLimitIsNamed) {
  for (const char* word : {"stack=1", "open_files", "open_files=", "=1",
                           "open_files=1k", "core_bytes=-2"}) {
    const auto limits = ParseLimits({word});
    ASSERT_FALSE(limits.ok()) << word;
    EXPECT_NE(limits.status().message().find(word), std::string::npos);
  }
}

TEST(LimitsTest, TellsWhatIsInEffect) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const std::string soft = std::to_string(limit.rlim_cur);
  const std::string lines = LimitLines(0);
  EXPECT_NE(lines.find("open_files " + soft + "\nhard_open_files "),
            std::string::npos)
      << lines;
  EXPECT_NE(LimitsInEffect(::getpid()).find("open_files " + soft),
            std::string::npos);
}

}  // namespace
}  // namespace zs
