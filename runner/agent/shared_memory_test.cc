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
    std::filesystem::remove_all(folder_);
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

// A line of /proc/PID/maps.
std::string Mapped(const std::string& path) {
  return "7f00-7f01 rw-s 00000000 00:01 5                  " + path + "\n";
}

TEST_F(SharedMemoryTest, RemovesWhatWasMappedAndNothingElse) {
  SharedMemory shared(folder_);
  shared.NoteWhatIsThere();
  const std::string mapped = File("mapped");
  const std::string other = File("other");
  const int fd = ::open(mapped.c_str(), O_RDWR);
  void* memory =
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ASSERT_NE(memory, MAP_FAILED);
  shared.Look({*ReadProcess(::getpid())});
  ::munmap(memory, 4096);
  ::close(fd);
  const SharedMemory::Left left = shared.Remove();
  EXPECT_EQ(left.removed, 1);
  EXPECT_EQ(left.left_bytes, 0);
  EXPECT_FALSE(std::filesystem::exists(mapped));
  EXPECT_TRUE(std::filesystem::exists(other));
}

// A data set that the user has put into /dev/shm, and that ranks map.
TEST_F(SharedMemoryTest, LeavesAloneWhatWasThereBefore) {
  const std::string file = File("train.bin");
  std::filesystem::create_directories(folder_ + "/data");
  const std::string below = File("data/train.bin");
  SharedMemory shared(folder_);
  shared.NoteWhatIsThere();
  const std::string moved = folder_ + "/moved.bin";
  std::filesystem::rename(file, moved);
  shared.NoteWhatIsThere();  // of the second rank
  const std::string of_run = File("of_run");
  shared.LookAt(Mapped(moved) + Mapped(below) + Mapped(of_run));
  EXPECT_EQ(shared.Remove().removed, 1);
  EXPECT_TRUE(std::filesystem::exists(moved));
  EXPECT_TRUE(std::filesystem::exists(below));
  EXPECT_FALSE(std::filesystem::exists(of_run));
}

TEST_F(SharedMemoryTest, EachRunHasItsOwnBefore) {
  SharedMemory shared(folder_);
  shared.NoteWhatIsThere();
  EXPECT_EQ(shared.Remove().removed, 0);
  const std::string staged = File("staged");
  shared.NoteWhatIsThere();
  shared.LookAt(Mapped(staged));
  EXPECT_EQ(shared.Remove().removed, 0);
  EXPECT_TRUE(std::filesystem::exists(staged));
}

// An agent that ends what another one has left knows only names.
TEST_F(SharedMemoryTest, RemovesOnlyKnownNamesOfAnothersProcesses) {
  const std::string nccl = File("nccl-abc");
  const std::string data = File("train.bin");
  SharedMemory shared(folder_);
  shared.LookAt(Mapped(nccl) + Mapped(data));
  EXPECT_EQ(shared.Remove().removed, 1);
  EXPECT_FALSE(std::filesystem::exists(nccl));
  EXPECT_TRUE(std::filesystem::exists(data));
}

TEST_F(SharedMemoryTest, FolderInTheMiddleOfAnotherPathIsNotIt) {
  SharedMemory shared(folder_);
  shared.NoteWhatIsThere();
  const std::string file = File("mapped");
  shared.LookAt(Mapped("/home/copy" + file));
  EXPECT_EQ(shared.Remove().removed, 0);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(SharedMemoryTest, LeavesAloneWhatIsDeletedOrGone) {
  SharedMemory shared(folder_);
  shared.NoteWhatIsThere();
  const std::string file = File("again");
  shared.LookAt(Mapped(file + " (deleted)") + Mapped(folder_ + "/gone") +
                "no map at all");
  EXPECT_EQ(shared.Remove().removed, 0);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(SharedMemoryTest, CountsWhatCannotBeRemoved) {
  SharedMemory shared(folder_);
  shared.NoteWhatIsThere();
  std::filesystem::create_directories(folder_ + "/folder");
  shared.LookAt(Mapped(folder_ + "/folder"));
  EXPECT_GT(shared.Remove().left_bytes, 0);
}

}  // namespace
}  // namespace zs
