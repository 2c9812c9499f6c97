#include "base/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

class FilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    ASSERT_OK(MakeFolders(folder_ + "/a/b"));
  }

  std::string folder_;
};

TEST_F(FilesTest, ReplacesAFileAndLeavesNoTemporary) {
  const std::string path = folder_ + "/a/file";
  ASSERT_OK(WriteFileAtomically(path, "one"));
  ASSERT_OK(WriteFileAtomically(path, std::string("two\0three", 9)));
  EXPECT_EQ(*ReadFile(path), std::string("two\0three", 9));
  EXPECT_EQ(*FileSizeBytes(path), 9);
  int entries = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_ + "/a")) {
    entries += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(entries, 1);
}

TEST_F(FilesTest, FailedWriteNamesThePathAndKeepsTheOldFile) {
  EXPECT_STATUS(WriteFileAtomically(folder_ + "/none/file", "x"),
                StatusCode::kNotFound, "none/file");
}

// A process of another host that shares the folder may have this one's id.
TEST_F(FilesTest, LeavesAloneWhatAnotherHostIsWriting) {
  const std::string path = folder_ + "/a/file";
  const std::string other = path + ".tmp." + std::to_string(::getpid());
  ASSERT_OK(WriteFileAtomically(other, "another host's"));
  ASSERT_OK(WriteFileAtomically(path, "mine"));
  EXPECT_EQ(*ReadFile(path), "mine");
  EXPECT_EQ(*ReadFile(other), "another host's");
}

TEST_F(FilesTest, RemovesTheTemporaryWhereTheFileCannotBeReplaced) {
  ASSERT_OK(MakeFolders(folder_ + "/a/file/full"));
  EXPECT_FALSE(WriteFileAtomically(folder_ + "/a/file", "x").ok());
  int entries = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_ + "/a")) {
    entries += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(entries, 0);
}

TEST_F(FilesTest, RefusesWhatIsNoRegularFileAtOnce) {
  const std::string fifo = folder_ + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_STATUS(ReadFile(fifo), StatusCode::kFailedPrecondition, "fifo");
  EXPECT_FALSE(ReadFile(folder_).ok());
  EXPECT_FALSE(FileSizeBytes(folder_).ok());
}

TEST_F(FilesTest, RefusesMoreThanTheLimit) {
  const std::string path = folder_ + "/large";
  ASSERT_OK(WriteFileAtomically(path, std::string(100, 'x')));
  EXPECT_OK(ReadFile(path, 100));
  EXPECT_STATUS(ReadFile(path, 99), StatusCode::kOutOfRange, "99 bytes");
}

}  // namespace
}  // namespace zs
