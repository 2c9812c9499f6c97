#include "runner/plan/eval/imports.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

class ImportsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = ::testing::TempDir() + "/imports_test." +
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    Put("own/main.jsonnet", "main");
    Put("own/sub/a.libsonnet", "a");
    Put("library/a.libsonnet", "library a");
    Put("library/lib/b.libsonnet", "b");
    Put("outside/secret", "secret");
  }

  void Put(const std::string& path, const std::string& text) {
    const std::string full = root_ + "/" + path;
    ASSERT_OK(MakeFolders(full.substr(0, full.rfind('/'))));
    ASSERT_OK(WriteFileAtomically(full, text));
  }

  Result<Source> Find(const std::string& base, const std::string& name) {
    return Imports({root_ + "/own"}, {root_ + "/library"})
        .Find(root_ + "/" + base, name);
  }

  std::string root_;
};

TEST_F(ImportsTest, PrefersTheImportersFolder) {
  EXPECT_EQ(Find("own/sub/", "a.libsonnet")->text, "a");
  EXPECT_EQ(Find("own/", "a.libsonnet")->text, "library a");
  EXPECT_EQ(Find("own/", "lib/b.libsonnet")->text, "b");
  EXPECT_EQ(Find("own/sub/", "../main.jsonnet")->text, "main");
}

TEST_F(ImportsTest, NamesThePlacesLookedAt) {
  EXPECT_STATUS(Find("own/", "none.libsonnet"), StatusCode::kNotFound,
                "/own/none.libsonnet, " + root_ + "/library/none.libsonnet");
}

TEST_F(ImportsTest, RefusesWhatLiesOutside) {
  for (const std::string name :
       {"../outside/secret", "sub/../../outside/secret",
        "../../../../../../../../../../../../../../../../../etc/passwd"}) {
    EXPECT_STATUS(Find("own/", name), StatusCode::kPermissionDenied,
                  "lies outside");
  }
  for (const std::string name : {"/etc/passwd", "/proc/self/environ", ""}) {
    EXPECT_STATUS(Find("own/", name), StatusCode::kPermissionDenied,
                  "absolute paths are not allowed");
  }
  // "own2" begins with the name of the root but lies beside it.
  Put("own2/x", "x");
  EXPECT_STATUS(Find("own/", "../own2/x"), StatusCode::kPermissionDenied,
                "lies outside");
}

TEST_F(ImportsTest, FollowsLinksOnlyWithin) {
  ASSERT_EQ(::symlink("../outside/secret", (root_ + "/own/escape").c_str()), 0);
  ASSERT_EQ(::symlink("/proc/self", (root_ + "/own/proc").c_str()), 0);
  ASSERT_EQ(::symlink("sub/a.libsonnet", (root_ + "/own/inner").c_str()), 0);
  EXPECT_STATUS(Find("own/", "escape"), StatusCode::kPermissionDenied,
                "lies outside");
  EXPECT_STATUS(Find("own/", "proc/environ"), StatusCode::kPermissionDenied,
                "lies outside");
  EXPECT_EQ(Find("own/", "inner")->text, "a");
}

TEST_F(ImportsTest, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(::mkfifo((root_ + "/own/fifo").c_str(), 0600), 0);
  EXPECT_STATUS(Find("own/", "fifo"), StatusCode::kFailedPrecondition,
                "not a regular file");
  EXPECT_STATUS(Find("own/", "sub"), StatusCode::kFailedPrecondition,
                "not a regular file");
}

TEST_F(ImportsTest, RefusesHugeFiles) {
  Put("own/huge", "");
  ASSERT_EQ(::truncate((root_ + "/own/huge").c_str(), kMaxSourceBytes + 1), 0);
  EXPECT_STATUS(Find("own/", "huge"), StatusCode::kOutOfRange, "larger than");
}

}  // namespace
}  // namespace zs
