#include "results/store/file_system_kind.h"

#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace zs::results {
namespace {

// Numbers of statfs(2).
constexpr uint64_t kLocal[] = {
    0xEF53,      // ext2, ext3, ext4
    0x58465342,  // XFS
    0x9123683E,  // Btrfs
    0x2FC12FC1,  // ZFS
    0xF2F52010,  // F2FS
    0xCA451A4E,  // bcachefs
    0x794C7630,  // overlay (containers)
    0x01021994,  // tmpfs
    0x858458F6,  // ramfs
};

}  // namespace

bool IsLocalFileSystem(uint64_t magic) {
  return std::find(std::begin(kLocal), std::end(kLocal), magic) !=
         std::end(kLocal);
}

Result<bool> LiesOnLocalDisk(const std::string& path) {
  struct statfs info {};
  if (::statfs(path.c_str(), &info) != 0) {
    return ErrnoError(errno, "statfs " + path);
  }
  return IsLocalFileSystem(static_cast<uint64_t>(info.f_type) & 0xFFFFFFFF);
}

}  // namespace zs::results
