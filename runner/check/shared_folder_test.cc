#include "runner/check/shared_folder.h"

#include <filesystem>
#include <string>

#include "gtest/gtest.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

// Two agents on this host stand for two nodes; one whose root is elsewhere for
// one that does not share the folder.
class SharedFolderTest : public ::testing::Test {
 protected:
  SharedFolderTest() {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~SharedFolderTest() override { fs::remove_all(path_); }

  const std::string path_ =
      ::testing::TempDir() + "/shared_folder_" +
      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  AgentPool pool_{{"runner/agent/agent", "subreaper"}};
};

TEST_F(SharedFolderTest, NodesThatSeeTheTokenShareTheFolder) {
  const auto results =
      CheckSharedFolder({{{"a", {}}, {"b", {}}}, path_, "t1"}, pool_, 20'000);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_TRUE(AllOk(results)) << results[1].found;
  EXPECT_TRUE(fs::is_empty(path_));
}

TEST_F(SharedFolderTest, FolderThatWasMadeForTheCheckGoesAgain) {
  const std::string path = path_ + "/it is 'new'";
  EXPECT_TRUE(AllOk(
      CheckSharedFolder({{{"a", {}}, {"b", {}}}, path, "t1"}, pool_, 20'000)));
  EXPECT_TRUE(fs::is_empty(path_));
}

TEST_F(SharedFolderTest, NodeThatSeesAnotherFolderIsNamed) {
  // The path is relative, and the second node's working folder another one.
  const std::string home = path_ + "/home";
  fs::create_directories(home);
  const auto results =
      CheckSharedFolder({{{"a", {"env", "HOME=" + home}},
                          {"b", {"env", "-C", path_, "HOME=" + home}}},
                         "relative",
                         "t1"},
                        pool_, 20'000);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].state, CheckState::kOk) << results[0].found;
  EXPECT_EQ(results[1].node, "b");
  EXPECT_EQ(results[1].state, CheckState::kFailed);
  EXPECT_NE(results[1].repeat.find("cat"), std::string::npos);
  EXPECT_FALSE(fs::exists("relative"));
}

TEST_F(SharedFolderTest, FolderThatCannotBeWrittenIsTheFirstNodesFault) {
  const auto results = CheckSharedFolder(
      {{{"a", {}}, {"b", {}}}, "/proc/nowhere", "t1"}, pool_, 20'000);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].state, CheckState::kFailed);
}

}  // namespace
}  // namespace zs
