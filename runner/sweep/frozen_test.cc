#include "runner/sweep/frozen.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

class FrozenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    top_ = ::testing::TempDir() + "/frozen";
    std::filesystem::remove_all(top_);
    ASSERT_OK(MakeFolders(top_ + "/bin"));
    std::ofstream(top_ + "/bin/engine") << "one";
    std::ofstream(top_ + "/bin/plugin.so") << "plug-in";
  }

  std::string top_;
};

TEST_F(FrozenTest, TheCopyOutlivesARebuild) {
  const auto frozen = Freeze(top_ + "/bin/engine", top_ + "/programs");
  ASSERT_OK(frozen);
  std::ofstream(top_ + "/bin/engine") << "two";
  EXPECT_EQ(*ReadFile(frozen->path), "one");
  EXPECT_EQ(::access(frozen->path.c_str(), X_OK), 0);
  EXPECT_EQ(*ReadFile(std::filesystem::path(frozen->path).parent_path() /
                      "plugin.so"),
            "plug-in");
  const auto again = Freeze(top_ + "/bin/engine", top_ + "/programs");
  ASSERT_OK(again);
  EXPECT_NE(again->path, frozen->path);
  EXPECT_EQ(*ReadFile(again->path), "two");
}

TEST_F(FrozenTest, TheSameProgramIsCopiedOnce) {
  const auto first = Freeze(top_ + "/bin/engine", top_ + "/programs");
  const auto second = Freeze(top_ + "/bin/engine", top_ + "/programs");
  ASSERT_OK(second);
  EXPECT_EQ(first->path, second->path);
}

TEST_F(FrozenTest, AMissingProgramIsNamed) {
  EXPECT_STATUS(Freeze(top_ + "/bin/none", top_ + "/programs"),
                StatusCode::kNotFound, "bin/none");
}

}  // namespace
}  // namespace zs
