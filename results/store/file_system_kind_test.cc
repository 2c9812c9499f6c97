#include "results/store/file_system_kind.h"

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs::results {
namespace {

// Numbers of statfs(2).
TEST(FileSystemKindTest, LocalDisksMayUseWal) {
  for (const uint64_t magic : {0xEF53, 0x58465342, 0x01021994, 0x794C7630}) {
    EXPECT_TRUE(IsLocalFileSystem(magic)) << std::hex << magic;
  }
}

TEST(FileSystemKindTest, NetworkAndUnknownDisksMayNot) {
  const struct {
    const char* name;
    uint64_t magic;
  } cases[] = {{"NFS", 0x6969},      {"Lustre", 0x0BD00BD0},
               {"CIFS", 0xFF534D42}, {"SMB2", 0xFE534D42},
               {"FUSE", 0x65735546}, {"GPFS", 0x47504653},
               {"Ceph", 0x00C36400}, {"BeeGFS", 0x19830326},
               {"9P", 0x01021997},   {"nobody's", 0}};
  for (const auto& c : cases) {
    EXPECT_FALSE(IsLocalFileSystem(c.magic)) << c.name;
  }
}

TEST(FileSystemKindTest, MissingPathIsAnError) {
  EXPECT_STATUS(LiesOnLocalDisk("/nowhere/x"), StatusCode::kNotFound,
                "/nowhere/x");
}

}  // namespace
}  // namespace zs::results
