#include "runner/agent/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace zs {
namespace {

class SharedMemoryTest : public ::testing::Test {
 protected:
  SharedMemoryTest()
      : folder_(::testing::TempDir() + "/shm" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
    // As the kernel writes it.
    folder_ = std::filesystem::canonical(folder_).string();
  }

  std::string File(const std::string& name) {
    std::ofstream(folder_ + "/" + name) << std::string(4096, 'x');
    return folder_ + "/" + name;
  }

  std::string folder_;
};

TEST_F(SharedMemoryTest, RemovesWhatWasMappedAndNothingElse) {
  const std::string mapped = File("mapped");
  const std::string other = File("other");
  const int fd = ::open(mapped.c_str(), O_RDWR);
  void* memory =
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ASSERT_NE(memory, MAP_FAILED);
  SharedMemory shared(folder_);
  shared.Look({*ReadProcess(::getpid())});
  ::munmap(memory, 4096);
  ::close(fd);
  const SharedMemory::Left left = shared.Remove();
  EXPECT_EQ(left.removed, 1);
  EXPECT_EQ(left.left_bytes, 0);
  EXPECT_FALSE(std::filesystem::exists(mapped));
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST_F(SharedMemoryTest, LeavesAloneWhatIsDeletedOrGone) {
  const std::string file = File("again");
  SharedMemory shared(folder_);
  shared.LookAt("7f00-7f01 rw-s 0 00:01 5 " + file + " (deleted)\n" +
                "7f00-7f01 rw-s 0 00:01 5 " + folder_ + "/gone\n" +
                "no map at all");
  EXPECT_EQ(shared.Remove().removed, 0);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(SharedMemoryTest, CountsWhatCannotBeRemoved) {
  std::filesystem::create_directories(folder_ + "/folder");
  SharedMemory shared(folder_);
  shared.LookAt("7f00-7f01 rw-s 0 00:01 5 " + folder_ + "/folder\n");
  EXPECT_GT(shared.Remove().left_bytes, 0);
}

}  // namespace
}  // namespace zs
