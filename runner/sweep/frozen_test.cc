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

  Result<std::string> FreezeEngine() const {
    return Freeze(top_ + "/bin/engine", ProgramParts::kWithPlugins,
                  top_ + "/programs");
  }
  static std::string PluginOf(const std::string& program) {
    return std::filesystem::path(program).parent_path() / "plugin.so";
  }

  std::string top_;
};

TEST_F(FrozenTest, TheCopyOutlivesARebuild) {
  const auto frozen = FreezeEngine();
  ASSERT_OK(frozen);
  std::ofstream(top_ + "/bin/engine") << "two";
  EXPECT_EQ(*ReadFile(*frozen), "one");
  EXPECT_EQ(::access(frozen->c_str(), X_OK), 0);
  EXPECT_EQ(*ReadFile(PluginOf(*frozen)), "plug-in");
  const auto again = FreezeEngine();
  ASSERT_OK(again);
  EXPECT_NE(*again, *frozen);
  EXPECT_EQ(*ReadFile(*again), "two");
}

TEST_F(FrozenTest, APluginThatIsBuiltAnewIsTaken) {
  const auto before = FreezeEngine();
  ASSERT_OK(before);
  std::ofstream(top_ + "/bin/plugin.so") << "another";
  const auto after = FreezeEngine();
  ASSERT_OK(after);
  EXPECT_EQ(*ReadFile(PluginOf(*before)), "plug-in");
  EXPECT_EQ(*ReadFile(PluginOf(*after)), "another");
}

TEST_F(FrozenTest, OnCpusThePluginsStayOut) {
  const auto alone =
      Freeze(top_ + "/bin/engine", ProgramParts::kAlone, top_ + "/programs");
  ASSERT_OK(alone);
  EXPECT_FALSE(std::filesystem::exists(PluginOf(*alone)));
}

TEST_F(FrozenTest, TheSameProgramIsCopiedOnce) {
  const auto first = FreezeEngine();
  const auto second = FreezeEngine();
  ASSERT_OK(second);
  EXPECT_EQ(*first, *second);
}

TEST_F(FrozenTest, AMissingProgramIsNamed) {
  EXPECT_STATUS(
      Freeze(top_ + "/bin/none", ProgramParts::kAlone, top_ + "/programs"),
      StatusCode::kNotFound, "bin/none");
}

}  // namespace
}  // namespace zs
