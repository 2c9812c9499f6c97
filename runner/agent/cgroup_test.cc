#include "runner/agent/cgroup.h"

#include "gtest/gtest.h"

namespace zs {
namespace {

// Lines as proc(5) describes them.
constexpr char kHybrid[] =
    "31 24 0:27 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu\n"
    "32 24 0:28 / /sys/fs/cgroup/unified rw shared:10 - cgroup2 cgroup2 rw\n";
constexpr char kContainer[] =
    "40 39 0:28 /docker/ab12 /sys/fs/cgroup ro - cgroup2 cgroup rw\n";

TEST(CgroupTest, FindsTheOwnGroupOfAHybridSystem) {
  EXPECT_EQ(OwnCgroupFolder(kHybrid, "4:memory:/x\n0::/\n"),
            "/sys/fs/cgroup/unified");
  EXPECT_EQ(OwnCgroupFolder(kHybrid, "0::/user.slice/a b\n"),
            "/sys/fs/cgroup/unified/user.slice/a b");
}

TEST(CgroupTest, TakesAContainersMountIntoAccount) {
  EXPECT_EQ(OwnCgroupFolder(kContainer, "0::/docker/ab12\n"), "/sys/fs/cgroup");
  EXPECT_EQ(OwnCgroupFolder(kContainer, "0::/docker/ab12/job\n"),
            "/sys/fs/cgroup/job");
}

TEST(CgroupTest, FindsNoneWhereNoneIsMounted) {
  EXPECT_FALSE(OwnCgroupFolder("", "0::/\n").has_value());
  EXPECT_FALSE(OwnCgroupFolder(kHybrid, "4:memory:/x\n").has_value());
  EXPECT_FALSE(OwnCgroupFolder("garbage\n - \n", "0::/\n").has_value());
}

}  // namespace
}  // namespace zs
