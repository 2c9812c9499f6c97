// Whether a database may use write-ahead logging where it lies: WAL needs
// memory shared by all its users, which network disks do not have.
#ifndef RESULTS_STORE_FILE_SYSTEM_KIND_H_
#define RESULTS_STORE_FILE_SYSTEM_KIND_H_

#include <cstdint>
#include <string>

#include "base/status.h"

namespace zs::results {

// Whether MAGIC (statfs, f_type) is a file system of this machine alone: ext4,
// XFS, Btrfs, ZFS, F2FS, overlay, tmpfs. Any other, FUSE included, is not
// known to be.
bool IsLocalFileSystem(uint64_t magic);

// The same for the file or folder at PATH.
Result<bool> LiesOnLocalDisk(const std::string& path);

}  // namespace zs::results

#endif  // RESULTS_STORE_FILE_SYSTEM_KIND_H_
