#include "runner/host/installation.h"

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

// Makes what belongs to an installation below ROOT.
void Fill(const std::string& root) {
  for (const char* folder : {"/engine", "/runner/agent", "/experiments"}) {
    ASSERT_OK(MakeFolders(root + folder));
  }
  std::ofstream(root + "/engine/engine") << "x";
  std::ofstream(root + "/runner/agent/agent") << "x";
}

TEST(InstallationTest, RunfilesComeBeforeTheFolderAround) {
  const std::string top = ::testing::TempDir() + "/installation";
  std::filesystem::remove_all(top);
  const std::string program = top + "/lib/runner/runner";
  EXPECT_STATUS(FindInstallation(program, program), StatusCode::kNotFound,
                "bazel run //:install");
  const std::string link = top + "/bin/runner";
  Fill(top + "/lib");
  ASSERT_OK(FindInstallation(program, link));
  EXPECT_EQ(FindInstallation(program, link)->engine,
            top + "/lib/engine/engine");
  Fill(program + ".runfiles/zerosweep");
  EXPECT_EQ(FindInstallation(program, link)->agent,
            program + ".runfiles/zerosweep/runner/agent/agent");
}

TEST(InstallationTest, TheRunfilesOfAnotherProgramComeFirst) {
  const std::string top = ::testing::TempDir() + "/installation_links";
  std::filesystem::remove_all(top);
  const std::string program = top + "/bin/runner/runner";
  const std::string root = top + "/some_test.runfiles/zerosweep";
  Fill(program + ".runfiles/zerosweep");
  Fill(root);
  const auto found = FindInstallation(program, root + "/runner/runner");
  ASSERT_OK(found);
  EXPECT_EQ(found->root, root);
}

}  // namespace
}  // namespace zs
