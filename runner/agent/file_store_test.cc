#include "runner/agent/file_store.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/hash.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

class FileStoreTest : public ::testing::Test {
 protected:
  FileStoreTest() { fs::remove_all(root_); }

  std::string root_ =
      ::testing::TempDir() + "/file_store_" +
      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  FileStore store_{root_};
};

TEST_F(FileStoreTest, FileThatComesInPartsIsThereOnceItIsKept) {
  const std::string path = root_ + "/abc/engine";
  EXPECT_EQ(*store_.Stored({"abc", "engine"}), "path " + path + "\n");
  ASSERT_OK(store_.Put({"abc", "engine", "0", std::string("a\0b", 3)}));
  ASSERT_OK(store_.Put({"abc", "engine", "3", "cd"}));
  EXPECT_FALSE(fs::exists(path));
  const std::string sha256 = Sha256Hex(std::string("a\0bcd", 5));
  EXPECT_EQ(*store_.Keep({"abc", "engine", sha256}), path);
  EXPECT_EQ(*store_.Stored({"abc", "engine"}),
            "path " + path + "\nsha256 " + sha256 + "\n");
  EXPECT_NE(fs::status(path).permissions() & fs::perms::owner_exec,
            fs::perms::none);
}

TEST_F(FileStoreTest, FileThatChangedAfterwardsIsHashedAnew) {
  ASSERT_OK(store_.Put({"abc", "engine", "0", "whole"}));
  ASSERT_OK(store_.Keep({"abc", "engine", Sha256Hex("whole")}));
  const std::string path = root_ + "/abc/engine";
  const auto written = fs::last_write_time(path);
  std::ofstream(path) << "other";  // of the same size, and
  fs::last_write_time(path, written);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(*store_.Stored({"abc", "engine"}),
              "path " + path + "\nsha256 " + Sha256Hex("other") + "\n");
  }
  fs::remove(path);
  EXPECT_EQ(*store_.Stored({"abc", "engine"}), "path " + path + "\n");
}

TEST_F(FileStoreTest, ProgramIsStartedAgainOnceSomethingHasChanged) {
  // Each start of it leaves a line.
  const auto put = [&](const std::string& end) {
    const std::string script =
        "#!/bin/sh\necho started >>" + root_ + "/starts; echo $1" + end + "\n";
    ASSERT_OK(store_.Put({"abc", "program", "0", script}));
    ASSERT_OK(store_.Keep({"abc", "program", Sha256Hex(script)}));
  };
  const auto starts = [&] {
    std::ifstream file(root_ + "/starts");
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  EXPECT_STATUS(store_.Starts({"abc", "program", "-v"}, "boot 1"),
                StatusCode::kNotFound, "abc/program");
  put("");
  EXPECT_EQ(*store_.Starts({"abc", "program", "-v"}, "boot 1"), "exit 0\n-v\n");
  EXPECT_EQ(*store_.Starts({"abc", "program", "-v"}, "boot 1"), "exit 0\n-v\n");
  EXPECT_EQ(starts(), 1);
  EXPECT_EQ(*store_.Starts({"abc", "program", "-x"}, "boot 1"), "exit 0\n-x\n");
  EXPECT_EQ(*store_.Starts({"abc", "program", "-x"}, "boot 2"), "exit 0\n-x\n");
  EXPECT_EQ(starts(), 3);
  put("; exit 3");
  for (int i = 0; i < 2; ++i) {  // a failure is looked at each time
    EXPECT_EQ(*store_.Starts({"abc", "program", "-x"}, "boot 2"),
              "exit 3\n-x\n");
  }
  EXPECT_EQ(starts(), 5);
}

TEST_F(FileStoreTest, DamagedFileIsNotKept) {
  ASSERT_OK(store_.Put({"abc", "engine", "0", "damaged"}));
  EXPECT_EQ(store_.Keep({"abc", "engine", Sha256Hex("whole")}).status().code(),
            StatusCode::kDataLoss);
  EXPECT_TRUE(fs::is_empty(root_ + "/abc"));
}

// A home folder that two nodes share, at the same time.
TEST_F(FileStoreTest, TwoStoresOfOneFolderDoNotMixTheirParts) {
  FileStore other(root_);
  const std::string sha256 = Sha256Hex("whole");
  ASSERT_OK(store_.Put({"abc", "engine", "0", "who"}));
  ASSERT_OK(other.Put({"abc", "engine", "0", "wh"}));
  ASSERT_OK(store_.Put({"abc", "engine", "3", "le"}));
  EXPECT_OK(store_.Keep({"abc", "engine", sha256}));
  ASSERT_OK(other.Put({"abc", "engine", "2", "ole"}));
  EXPECT_OK(other.Keep({"abc", "engine", sha256}));
}

TEST_F(FileStoreTest, NothingLeavesTheFolder) {
  for (const char* name : {"..", "", ".x", "a/b", "../x"}) {
    EXPECT_FALSE(store_.Put({name, "engine", "0", "x"}).ok()) << name;
    EXPECT_FALSE(store_.Put({"abc", name, "0", "x"}).ok()) << name;
  }
  EXPECT_FALSE(store_.Put({"abc", "engine", "-1", "x"}).ok());
  EXPECT_FALSE(store_.Put({"abc", "engine", "1x", "x"}).ok());
  EXPECT_FALSE(fs::exists(root_));
}

TEST_F(FileStoreTest, FolderThatNobodyAskedForIsRemovedAfterAWeek) {
  fs::create_directories(root_ + "/old");
  fs::create_directories(root_ + "/used");
  const auto before =
      fs::file_time_type::clock::now() - std::chrono::hours(8 * 24);
  fs::last_write_time(root_ + "/old", before);
  fs::last_write_time(root_ + "/used", before);
  ASSERT_OK(store_.Stored({"used", "engine"}));
  ASSERT_OK(store_.Put({"new", "engine", "0", ""}));
  ASSERT_OK(store_.Keep({"new", "engine", Sha256Hex("")}));
  EXPECT_FALSE(fs::exists(root_ + "/old"));
  EXPECT_TRUE(fs::exists(root_ + "/used"));
}

}  // namespace
}  // namespace zs
