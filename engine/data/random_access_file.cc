#include "engine/data/random_access_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace zs {

Result<RandomAccessFile> RandomAccessFile::Open(const std::string& path) {
  RandomAccessFile file;
  file.path_ = path;
  file.fd_ =
      Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info = {};
  if (!file.fd_.valid() || ::fstat(file.fd_.get(), &info) != 0) {
    return ErrnoError(errno, "open " + path);
  }
  if (!S_ISREG(info.st_mode)) {
    return FailedPreconditionError(path + " is not a regular file");
  }
  file.size_bytes_ = info.st_size;
  return file;
}

Status RandomAccessFile::Read(int64_t offset, void* bytes, int64_t size) const {
  char* at = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t n = ::pread(fd_.get(), at, static_cast<size_t>(size), offset);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return ErrnoError(errno, "read " + path_);
    }
    if (n == 0) {
      return DataLossError(path_ + ": offset " + std::to_string(offset) +
                           ": the file ends here, though it was longer when "
                           "it was opened");
    }
    at += n;
    offset += n;
    size -= n;
  }
  return OkStatus();
}

}  // namespace zs
