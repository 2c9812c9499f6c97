#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <random>

#include "base/descriptor.h"

namespace zs {
namespace {

Status WriteAll(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0) {
      if (errno == EINTR) {
        continue;
      }
      return ErrnoError(errno, "write " + path);
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
  return OkStatus();
}

// Writes and flushes TEXT to the new file FD at PATH.
Status WriteDurably(int fd, const std::string& path, std::string_view text) {
  RETURN_IF_ERROR(WriteAll(fd, text, path));
  if (::fsync(fd) != 0) {
    return ErrnoError(errno, "fsync " + path);
  }
  return OkStatus();
}

// Makes a file beside PATH and says its NAME: one that nobody else has, on
// whichever host that shares the folder, where a process id may be in use too.
Result<Descriptor> CreateBeside(const std::string& path, std::string& name) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr size_t kRandomDigits = 16;
  std::random_device random;
  for (;;) {
    name = path + ".tmp.";
    for (size_t i = 0; i < kRandomDigits; ++i) {
      name += kDigits[random() % kDigits.size()];
    }
    Descriptor fd(
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd.valid()) {
      return fd;
    }
    if (errno != EEXIST && errno != EINTR) {
      return ErrnoError(errno, "create " + name);
    }
  }
}

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, int64_t max_bytes) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) {
    return ErrnoError(errno, path);
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) {
    return ErrnoError(errno, path);
  }
  if (!S_ISREG(info.st_mode)) {
    return FailedPreconditionError(path + ": not a regular file");
  }
  std::string text;
  // So that it need not grow; a file of the kernel's own has no size.
  text.reserve(
      static_cast<size_t>(std::clamp<int64_t>(info.st_size, 0, max_bytes)));
  std::string block(1 << 16, '\0');
  while (true) {
    const ssize_t n = ::read(fd.get(), block.data(), block.size());
    if (n < 0) {
      if (errno == EINTR) {
        continue;
      }
      return ErrnoError(errno, path);
    }
    if (n == 0) {
      return text;
    }
    text.append(block, 0, static_cast<size_t>(n));
    if (static_cast<int64_t>(text.size()) > max_bytes) {
      return Status(StatusCode::kOutOfRange, path + ": larger than the " +
                                                 std::to_string(max_bytes) +
                                                 " bytes allowed here");
    }
  }
}

Status WriteFileAtomically(const std::string& path, std::string_view text) {
  std::string temporary;
  ASSIGN_OR_RETURN(const Descriptor fd, CreateBeside(path, temporary));
  if (Status status = WriteDurably(fd.get(), temporary, text); !status.ok()) {
    ::unlink(temporary.c_str());
    return status;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    Status status = ErrnoError(errno, "rename to " + path);
    ::unlink(temporary.c_str());
    return status;
  }
  return SyncPath(FolderOf(path));
}

Status SyncPath(const std::string& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) {
    return ErrnoError(errno, path);
  }
  // EINVAL: a file system that cannot sync folders has nothing to lose there.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) {
    return ErrnoError(errno, "fsync " + path);
  }
  return OkStatus();
}

Status MakeFolders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    return ErrnoError(error.value(), "make folder " + path);
  }
  return OkStatus();
}

Result<int64_t> FileSizeBytes(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return ErrnoError(errno, path);
  }
  if (!S_ISREG(info.st_mode)) {
    return FailedPreconditionError(path + ": not a regular file");
  }
  return static_cast<int64_t>(info.st_size);
}

}  // namespace zs
