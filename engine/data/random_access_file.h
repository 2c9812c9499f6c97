// A file read at any place.
#ifndef ENGINE_DATA_RANDOM_ACCESS_FILE_H_
#define ENGINE_DATA_RANDOM_ACCESS_FILE_H_

#include <cstdint>
#include <string>

#include "base/descriptor.h"
#include "base/status.h"

namespace zs {

// An open regular file. Read with pread(2) and not through mmap(2), so that a
// file cut short under a training is an error and no SIGBUS. Thread-safe.
class RandomAccessFile {
 public:
  RandomAccessFile() = default;

  // kNotFound, kPermissionDenied; kFailedPrecondition for anything but a
  // regular file (a FIFO would hang).
  static Result<RandomAccessFile> Open(const std::string& path);

  const std::string& path() const { return path_; }
  int64_t size_bytes() const { return size_bytes_; }  // when it was opened

  // kDataLoss where the file ends before OFFSET + SIZE.
  Status Read(int64_t offset, void* bytes, int64_t size) const;

 private:
  std::string path_;
  Descriptor fd_;
  int64_t size_bytes_ = 0;
};

}  // namespace zs

#endif  // ENGINE_DATA_RANDOM_ACCESS_FILE_H_
