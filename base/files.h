// Files as the runner and the engine need them: whole, durable, or not at all.
#ifndef BASE_FILES_H_
#define BASE_FILES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace zs {

// The whole file. kOutOfRange where it is larger than MAX_BYTES; kNotFound;
// kFailedPrecondition for anything but a regular file (a FIFO would hang).
Result<std::string> ReadFile(const std::string& path,
                             int64_t max_bytes = int64_t{1} << 30);

// Replaces PATH by TEXT so that a crash leaves the old file or the new one:
// writes PATH.tmp.RANDOM, fsyncs it, renames it and fsyncs the folder. Any
// number of processes on any hosts may do so at once: one of them is the last.
// On an error PATH is as it was and no other file is left.
Status WriteFileAtomically(const std::string& path, std::string_view text);

// Flushes a file or folder to the disk.
Status SyncPath(const std::string& path);

// Makes PATH and its parents, mode 0777 less the umask; OK if it is there.
Status MakeFolders(const std::string& path);

// The size of the regular file at PATH.
Result<int64_t> FileSizeBytes(const std::string& path);

}  // namespace zs

#endif  // BASE_FILES_H_
