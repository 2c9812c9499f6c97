#include "engine/data/random_access_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

std::string PathOf(const std::string& name) {
  return ::testing::TempDir() + "/" + name;
}

TEST(RandomAccessFileTest, ReadsAnyPlace) {
  ASSERT_OK(WriteFileAtomically(PathOf("abc"), "abcdef"));
  auto file = RandomAccessFile::Open(PathOf("abc"));
  ASSERT_OK(file);
  EXPECT_EQ(file->size_bytes(), 6);
  std::array<char, 3> bytes = {};
  ASSERT_OK(file->Read(2, bytes.data(), 3));
  EXPECT_EQ(std::string(bytes.data(), 3), "cde");
}

TEST(RandomAccessFileTest, FileCutShortIsAnErrorAndNoCrash) {
  ASSERT_OK(WriteFileAtomically(PathOf("cut"), "abcdef"));
  auto file = RandomAccessFile::Open(PathOf("cut"));
  ASSERT_OK(file);
  ASSERT_EQ(::truncate(PathOf("cut").c_str(), 4), 0);
  std::array<char, 3> bytes = {};
  EXPECT_STATUS(file->Read(2, bytes.data(), 3), StatusCode::kDataLoss,
                "offset 4");
}

TEST(RandomAccessFileTest, RefusesAFifoWithoutWaiting) {
  const std::string path = PathOf("fifo");
  ::unlink(path.c_str());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_STATUS(RandomAccessFile::Open(path), StatusCode::kFailedPrecondition,
                "not a regular file");
}

}  // namespace
}  // namespace zs
