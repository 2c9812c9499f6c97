#include "results/store/writer_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

namespace zs::results {
namespace {

constexpr auto kRetry = std::chrono::milliseconds(50);

std::string HostName() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) {
    return "an unknown host";
  }
  return name.data();
}

// "2026-11-30 07:44:22 UTC".
std::string UtcText(int64_t unix_ms) {
  const std::time_t seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) {
    return "an unknown time";
  }
  std::array<char, 32> text{};
  const size_t size =
      std::strftime(text.data(), text.size(), "%F %T UTC", &parts);
  return std::string(text.data(), size);
}

std::string FirstLineOf(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string BootId() {
  return FirstLineOf("/proc/sys/kernel/random/boot_id");
}

// Field 22 of /proc/self/stat; the name before may hold anything.
std::string StartTicks() {
  const std::string stat = FirstLineOf("/proc/self/stat");
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) {
    fields >> field;
  }
  return field;
}

}  // namespace

Result<LockHolder> WriterLock::HolderOf(const std::string& path) {
  WriterLock look(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (look.fd_ < 0) {
    return errno == ENOENT ? NotFoundError("nobody holds " + path)
                           : ErrnoError(errno, "open the lock " + path);
  }
  if (::flock(look.fd_, LOCK_SH | LOCK_NB) == 0) {
    return NotFoundError("nobody holds " + path);
  }
  std::array<char, 512> text{};
  const ssize_t size = ::pread(look.fd_, text.data(), text.size() - 1, 0);
  std::istringstream words(
      std::string(text.data(), size < 0 ? 0 : static_cast<size_t>(size)));
  LockHolder holder;
  std::string word;
  std::string line;
  if (words >> word >> holder.pid >> word >> holder.host &&
      std::getline(words, line) &&
      words >> word >> holder.boot_id >> word >> holder.start_ticks) {
    return holder;
  }
  return DataLossError(path + ": its holder has not written who it is; try " +
                       "again");
}

Result<WriterLock> WriterLock::Acquire(const std::string& path, int64_t wait_ms,
                                       const Clock& clock) {
  const int fd =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    return ErrnoError(errno, "open the lock " + path);
  }
  WriterLock lock(fd);
  RETURN_IF_ERROR(lock.Lock(path, wait_ms, clock));
  RETURN_IF_ERROR(lock.WriteHolder(path, clock));
  return lock;
}

WriterLock::~WriterLock() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

Status WriterLock::Lock(const std::string& path, int64_t wait_ms,
                        const Clock& clock) {
  const int64_t end_ns = clock.monotonic_ns() + wait_ms * 1'000'000;
  while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) {
      continue;
    }
    if (errno != EWOULDBLOCK) {
      return ErrnoError(errno, "lock " + path);
    }
    if (clock.monotonic_ns() >= end_ns) {
      return UnavailableError(path + ": held by " + ReadHolder() +
                              "; wait until it ends, or stop it, or give "
                              "another database with --db");
    }
    std::this_thread::sleep_for(kRetry);
  }
  return OkStatus();
}

// In place: the lock belongs to this file, so it must not be replaced.
Status WriterLock::WriteHolder(const std::string& path,
                               const Clock& clock) const {
  const std::string text = "process " + std::to_string(::getpid()) + " on " +
                           HostName() + " since " + UtcText(clock.unix_ms()) +
                           "\nboot " + BootId() + " start " + StartTicks() +
                           "\n";
  if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, text.data(), text.size(), 0) !=
                                      static_cast<ssize_t>(text.size())) {
    return ErrnoError(errno, "write the lock " + path);
  }
  return OkStatus();
}

std::string WriterLock::ReadHolder() const {
  std::array<char, 512> text{};
  const ssize_t size = ::pread(fd_, text.data(), text.size(), 0);
  const std::string all(text.data(), size < 0 ? 0 : static_cast<size_t>(size));
  const std::string line = all.substr(0, all.find('\n'));
  return line.empty() ? "another process" : line;
}

}  // namespace zs::results
