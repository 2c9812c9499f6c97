#include "engine/cuda/blas/gemm_cache.h"

#include <gtest/gtest.h>

#include <string>

#include "base/files.h"
#include "base/status_matchers.h"

namespace zs::gpu {
namespace {

class GemmCacheTest : public ::testing::Test {
 protected:
  GemmCacheTest() : path_(::testing::TempDir() + "/gemm_cache_test.txt") {
    (void)remove(path_.c_str());
  }

  GemmCache Open(const std::string& environment) {
    return GemmCache(path_, environment);
  }

  void Put(const std::string& environment, const std::string& product) {
    GemmCache cache = Open(environment);
    cache.Put(product, choice_);
    EXPECT_EQ(cache.note(), "");
  }

  const std::string path_;
  const GemmChoice choice_ = {{1, 0xffffffffffffffff, 3, 4, 5, 6, 7, 8}, 4096};
};

TEST_F(GemmCacheTest, FindsWhatAnotherProcessPut) {
  Put("H200, 13.1", "m=1");
  EXPECT_EQ(Open("H200, 13.1").Find("m=1"), choice_);
}

TEST_F(GemmCacheTest, KeepsOtherDevicesApart) {
  Put("H200, 13.1", "m=1");
  GemmCache other = Open("H200, 13.2");
  EXPECT_EQ(other.Find("m=1"), std::nullopt);
  other.Put("m=2", choice_);
  EXPECT_EQ(Open("H200, 13.1").Find("m=1"), choice_);
}

TEST_F(GemmCacheTest, LeavesOutDamagedLines) {
  Put("a", "m=1");
  Result<std::string> text = ReadFile(path_);
  ASSERT_TRUE(text.ok());
  ASSERT_TRUE(
      WriteFileAtomically(path_, "a\tm=2\t1 2 x\n\nno tab\na\tm=3\t\n" + *text)
          .ok());
  GemmCache cache = Open("a");
  EXPECT_EQ(cache.Find("m=2"), std::nullopt);
  EXPECT_EQ(cache.Find("m=3"), std::nullopt);
  EXPECT_EQ(cache.Find("m=1"), choice_);
}

TEST_F(GemmCacheTest, EmptyPathRemembersOnlyInMemory) {
  GemmCache cache("", "a");
  cache.Put("m=1", choice_);
  EXPECT_EQ(cache.Find("m=1"), choice_);
  EXPECT_EQ(cache.note(), "");
}

// A training can do without the cache.
TEST_F(GemmCacheTest, AFileThatCannotBeReadIsNotedAndNotUsed) {
  const std::string folder = ::testing::TempDir() + "/gemm_cache_folder";
  ASSERT_OK(MakeFolders(folder));
  GemmCache cache(folder, "a");
  EXPECT_NE(cache.note().find("not a regular file"), std::string::npos)
      << cache.note();
  cache.Put("m=1", choice_);
  EXPECT_EQ(cache.Find("m=1"), choice_);
}

TEST_F(GemmCacheTest, AFileThatCannotBeWrittenIsNotedAndNotUsed) {
  GemmCache cache(::testing::TempDir() + "/no_such_folder/cache", "a");
  EXPECT_EQ(cache.note(), "");
  cache.Put("m=1", choice_);
  EXPECT_NE(cache.note().find("no_such_folder/cache"), std::string::npos)
      << cache.note();
  cache.Put("m=2", choice_);
  EXPECT_EQ(cache.Find("m=1"), choice_);
  EXPECT_EQ(cache.Find("m=2"), choice_);
}

}  // namespace
}  // namespace zs::gpu
