#include "runner/host/environment.h"

#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(EnvironmentTest, AFolderOutsideOfGitHasNoCommit) {
  const GitState state = GitLook("/proc").Take();
  EXPECT_EQ(state.commit, "");
  EXPECT_FALSE(state.dirty);
}

TEST(EnvironmentTest, ReadsWhatGitSays) {
  const std::string head =
      "# branch.oid 5f0c1d\n# branch.head main\n# branch.ab +1 -0\n";
  EXPECT_EQ(ReadGitStatus(head).commit, "5f0c1d");
  EXPECT_FALSE(ReadGitStatus(head).dirty);
  EXPECT_TRUE(
      ReadGitStatus(head + "1 .M N... 100644 100644 100644 a b c\n").dirty);
  EXPECT_EQ(ReadGitStatus("# branch.oid (initial)\n").commit, "");
}

TEST(EnvironmentTest, JsonHoldsAllParts) {
  const Json json = EnvironmentJson({.cores = 2}, {"abc", true}, {{"A", "b"}});
  EXPECT_EQ(json["machine"]["cores"], 2);
  EXPECT_EQ(json["git"]["commit"], "abc");
  EXPECT_EQ(json["git"]["dirty"], true);
  EXPECT_EQ(json["variables"]["A"], "b");
  EXPECT_FALSE(json["compiler"].get<std::string>().empty());
}

}  // namespace
}  // namespace zs
