#include "runner/agent/path_facts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "base/descriptor.h"
#include "base/hash.h"
#include "runner/agent/limits.h"

namespace zs {
namespace {

constexpr int64_t kWholeUpToBytes = int64_t{64} << 20;
constexpr int64_t kSampleBytes = int64_t{1} << 20;

Result<std::string> OnePath(const std::vector<std::string>& args) {
  if (args.size() != 1 || args[0].empty() ||
      args[0].find('\0') != std::string::npos) {
    return InvalidArgumentError("one path is needed");
  }
  return args[0];
}

// Numbers of capabilities(7): no limit of locked memory applies to who has the
// first, no hard limit binds who has the second.
constexpr int kIpcLock = 14;
constexpr int kSysResource = 24;

bool HasCapability(int number) {
  std::ifstream file("/proc/self/status");
  std::string key;
  uint64_t effective = 0;
  while (file >> key) {
    if (key == "CapEff:") {
      file >> std::hex >> effective;
      break;
    }
  }
  return (effective >> number & 1U) != 0;
}

// Adds SIZE bytes from OFFSET of the file to HASH.
Status HashRange(int fd, int64_t offset, int64_t size, Sha256& hash) {
  char bytes[65536];
  while (size > 0) {
    const ssize_t n = ::pread(
        fd, bytes, static_cast<size_t>(std::min<int64_t>(size, sizeof bytes)),
        offset);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return ErrnoError(errno, "read");
    }
    if (n == 0) {
      return DataLossError("the file has become shorter");
    }
    hash.Update(bytes, static_cast<size_t>(n));
    offset += n;
    size -= n;
  }
  return OkStatus();
}

}  // namespace

Result<std::string> LimitFacts(const std::vector<std::string>&) {
  return LimitLines(/*pid=*/0) + "ipc_lock " +
         (HasCapability(kIpcLock) ? "yes" : "no") + "\nsys_resource " +
         (HasCapability(kSysResource) ? "yes" : "no") + "\n";
}

Result<std::string> PathFacts(const std::vector<std::string>& args) {
  ASSIGN_OR_RETURN(const std::string path, OnePath(args));
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return std::string("kind missing\n");
    }
    return ErrnoError(errno, path);
  }
  const char* kind = S_ISREG(info.st_mode)   ? "file"
                     : S_ISDIR(info.st_mode) ? "folder"
                                             : "other";
  return std::string("kind ") + kind + "\nsize_bytes " +
         std::to_string(info.st_size) + "\nwritable " +
         (::access(path.c_str(), W_OK) == 0 ? "yes" : "no") + "\n";
}

Result<std::string> HashFile(const std::vector<std::string>& args) {
  ASSIGN_OR_RETURN(const std::string path, OnePath(args));
  // O_NONBLOCK: a FIFO must not keep the agent.
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0) {
    return ErrnoError(errno, path);
  }
  if (!S_ISREG(info.st_mode)) {
    return FailedPreconditionError(path + " is no regular file");
  }
  const int64_t size = info.st_size;
  Sha256 hash;
  if (size <= kWholeUpToBytes) {
    RETURN_IF_ERROR(HashRange(fd.get(), 0, size, hash).WithContext(path));
    return hash.HexDigest();
  }
  hash.Update(std::to_string(size));
  for (const int64_t offset : {int64_t{0}, size / 2, size - kSampleBytes}) {
    RETURN_IF_ERROR(
        HashRange(fd.get(), offset, kSampleBytes, hash).WithContext(path));
  }
  return hash.HexDigest();
}

Result<std::string> FreeSpace(const std::vector<std::string>& args) {
  ASSIGN_OR_RETURN(const std::string path, OnePath(args));
  struct statvfs info {};
  std::filesystem::path at = path;
  // Of a folder that is still to be made, the one that it will be in.
  while (::statvfs(at.c_str(), &info) != 0) {
    if (errno != ENOENT || !at.has_relative_path()) {
      return ErrnoError(errno, path);
    }
    at = at.parent_path();
  }
  return std::to_string(static_cast<int64_t>(info.f_bavail) *
                        static_cast<int64_t>(info.f_frsize));
}

}  // namespace zs
