#include "runner/plan/spec/hosts.h"

#include <string>
#include <vector>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

using Hosts = std::vector<std::string>;

TEST(NamesTest, AllowsOnlyWhatIsSafeAsAFolder) {
  for (const char* good : {"z1", "z1_r4", "a.b-c", "0", "_x"}) {
    EXPECT_TRUE(IsName(good)) << good;
  }
  for (const std::string bad :
       {"", ".", "..", "-x", ".x", "a/b", "a b", "a\nb", "é", "a;b", "$x"}) {
    EXPECT_FALSE(IsName(bad)) << bad;
  }
  EXPECT_FALSE(IsName(std::string("a\0b", 3)));
  EXPECT_FALSE(IsName(std::string(101, 'a')));
  EXPECT_TRUE(IsVariableName("NCCL_DEBUG"));
  EXPECT_FALSE(IsVariableName("1A"));
  EXPECT_FALSE(IsVariableName("A=B"));
}

TEST(ExpandHostsTest, ExpandsRangesAndLists) {
  EXPECT_EQ(*ExpandHosts("g[0033-0036]"),
            (Hosts{"g0033", "g0034", "g0035", "g0036"}));
  EXPECT_EQ(*ExpandHosts("a,b[1,3-4],c"), (Hosts{"a", "b1", "b3", "b4", "c"}));
  EXPECT_EQ(*ExpandHosts("r[1-2]n[09-10].x"),
            (Hosts{"r1n09.x", "r1n10.x", "r2n09.x", "r2n10.x"}));
  EXPECT_EQ(ExpandHosts("n[1-4096]")->size(), 4096u);
}

TEST(ExpandHostsTest, RefusesWhatIsNoHost) {
  for (const std::string bad : {"",
                                "-oProxyCommand=x",
                                "a b",
                                "a;id",
                                "$(id)",
                                "`id`",
                                "a\nb",
                                "a,",
                                "g[1-",
                                "g1-2]",
                                "g[]",
                                "g[2-1]",
                                "g[a-b]",
                                "g[1-2-3]",
                                "g[-1]",
                                "user@host",
                                "[::1]",
                                "é",
                                "g[1-99999]",
                                "g[1-999999999999999999]",
                                "n[1-4096],x",
                                "r[1-100]n[1-100]",
                                "[[1-2]]",
                                ".x"}) {
    EXPECT_STATUS(ExpandHosts(bad), StatusCode::kInvalidArgument, "") << bad;
  }
}

}  // namespace
}  // namespace zs
