#include "runner/reach/node_files.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/reach/agent_pool.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

// Not so small that it is put there again without asking.
const std::string kOther(100'000, 'o');

class NodeFilesTest : public ::testing::Test {
 protected:
  NodeFilesTest() {
    fs::create_directories(here_ + "/program");
    EXPECT_OK(WriteFileAtomically(here_ + "/program/engine",
                                  std::string(3 << 20, 'e')));
    EXPECT_OK(WriteFileAtomically(here_ + "/program/plugin.so", "plug-in"));
    EXPECT_OK(WriteFileAtomically(here_ + "/program/other.txt", kOther));
  }
  ~NodeFilesTest() override { fs::remove_all(here_); }

  // A node whose cache is its own, as another host's would be.
  FileTarget Node(const std::string& name) {
    const auto connection = pool_.Get(
        name, {"env", "XDG_CACHE_HOME=" + here_ + "/" + name, "HOME=/nowhere"});
    EXPECT_OK(connection);
    return {name, *connection};
  }

  std::string here_ =
      ::testing::TempDir() + "/node_files_" +
      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  AgentPool pool_{{"runner/agent/agent", "subreaper"}};
};

TEST_F(NodeFilesTest, ProgramAndPluginsAreOnEveryNode) {
  const Result<FileSet> files =
      ProgramFiles(here_ + "/program/engine", ProgramParts::kWithPlugins);
  ASSERT_OK(files);
  ASSERT_EQ(files->files.size(), 2U);
  const auto paths = PutOnNodes(*files, {Node("a"), Node("b")}, 20'000);
  ASSERT_OK(paths);
  ASSERT_EQ(paths->size(), 2U);
  EXPECT_TRUE(
      (*paths)[1].ends_with("/b/zerosweep/files/" + files->hash + "/engine"))
      << (*paths)[1];
  for (const fs::path path : *paths) {
    EXPECT_EQ(fs::file_size(path), 3U << 20);
    EXPECT_EQ(*ReadFile(path.parent_path() / "plugin.so"), "plug-in");
  }
}

TEST_F(NodeFilesTest, WhatIsThereStaysAndWhatIsDamagedComesAnew) {
  const Result<FileSet> files = OneFile(here_ + "/program/other.txt");
  const auto first = PutOnNodes(*files, {Node("a"), Node("b")}, 20'000);
  ASSERT_OK(first);
  const auto written = fs::last_write_time((*first)[0]);
  ASSERT_OK(WriteFileAtomically((*first)[1], "damaged"));
  ASSERT_OK(PutOnNodes(*files, {Node("a"), Node("b")}, 20'000));
  EXPECT_EQ(fs::last_write_time((*first)[0]), written);
  EXPECT_EQ(*ReadFile((*first)[1]), kOther);
}

TEST_F(NodeFilesTest, SmallFileIsThereAfterOneRound) {
  ASSERT_OK(WriteFileAtomically(here_ + "/program/config.json", "{}"));
  const Result<FileSet> files = OneFile(here_ + "/program/config.json");
  for (int i = 0; i < 2; ++i) {
    const auto paths = PutOnNodes(*files, {Node("a"), Node("b")}, 20'000);
    ASSERT_OK(paths);
    ASSERT_EQ(paths->size(), 2U);
    EXPECT_EQ(*ReadFile((*paths)[1]), "{}");
  }
}

TEST_F(NodeFilesTest, NodeThatCannotTakeAFileIsNamed) {
  const Result<FileSet> files = OneFile(here_ + "/program/other.txt");
  const FileTarget node = Node("full");
  ASSERT_OK(PutOnNodes(*files, {node}, 20'000));
  fs::remove_all(here_ + "/full/zerosweep/files");
  ASSERT_OK(WriteFileAtomically(here_ + "/full/zerosweep/files", ""));
  const auto failed = PutOnNodes(*files, {node}, 20'000);
  EXPECT_NE(failed.status().message().find("node full"), std::string::npos)
      << failed.status().message();
}

}  // namespace
}  // namespace zs
