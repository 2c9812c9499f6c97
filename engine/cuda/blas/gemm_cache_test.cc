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
    Result<GemmCache> cache = GemmCache::Open(path_, environment);
    EXPECT_TRUE(cache.ok()) << cache.status();
    return *std::move(cache);
  }

  const std::string path_;
  const GemmChoice choice_ = {{1, 0xffffffffffffffff, 3, 4, 5, 6, 7, 8}, 4096};
};

TEST_F(GemmCacheTest, FindsWhatAnotherProcessPut) {
  ASSERT_TRUE(Open("H200, 13.1").Put("m=1", choice_).ok());
  EXPECT_EQ(Open("H200, 13.1").Find("m=1"), choice_);
}

TEST_F(GemmCacheTest, KeepsOtherDevicesApart) {
  ASSERT_TRUE(Open("H200, 13.1").Put("m=1", choice_).ok());
  GemmCache other = Open("H200, 13.2");
  EXPECT_EQ(other.Find("m=1"), std::nullopt);
  ASSERT_TRUE(other.Put("m=2", choice_).ok());
  EXPECT_EQ(Open("H200, 13.1").Find("m=1"), choice_);
}

TEST_F(GemmCacheTest, LeavesOutDamagedLines) {
  ASSERT_TRUE(Open("a").Put("m=1", choice_).ok());
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
  Result<GemmCache> cache = GemmCache::Open("", "a");
  ASSERT_TRUE(cache.ok());
  ASSERT_TRUE(cache->Put("m=1", choice_).ok());
  EXPECT_EQ(cache->Find("m=1"), choice_);
}

}  // namespace
}  // namespace zs::gpu
