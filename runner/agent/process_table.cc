#include "runner/agent/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "base/descriptor.h"

namespace zs {
namespace {

// The number at field INDEX (from 0) of blank-separated TEXT.
template <typename T>
bool FieldAt(std::string_view text, int index, T& value) {
  for (; index > 0; --index) {
    const size_t blank = text.find(' ');
    if (blank == std::string_view::npos) {
      return false;
    }
    text.remove_prefix(blank + 1);
  }
  return std::from_chars(text.data(), text.data() + text.size(), value).ec ==
         std::errc();
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

std::string ReadProc(const std::string& path, size_t max_bytes) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char chunk[4096];
  while (fd.valid() && text.size() < max_bytes) {
    const ssize_t n = ::read(fd.get(), chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      break;
    }
    text.append(chunk, static_cast<size_t>(n));
  }
  return text;
}

std::optional<ProcessInfo> ParseStat(std::string_view text) {
  const size_t open = text.find(" (");
  const size_t close = text.rfind(") ");
  ProcessInfo info;
  if (open == std::string_view::npos || close == std::string_view::npos ||
      close < open + 2 || !FieldAt(text, 0, info.pid)) {
    return std::nullopt;
  }
  info.name = text.substr(open + 2, close - open - 2);
  const std::string_view rest = text.substr(close + 2);
  // proc(5): state is field 3, the parent field 4, the start time field 22.
  if (rest.empty() || !FieldAt(rest, 1, info.parent) ||
      !FieldAt(rest, 19, info.start_ticks)) {
    return std::nullopt;
  }
  info.state = rest[0];
  return info;
}

std::optional<ProcessInfo> ReadProcess(pid_t pid) {
  return ParseStat(ReadProc("/proc/" + std::to_string(pid) + "/stat", 4096));
}

std::vector<ProcessInfo> ListProcesses() {
  std::vector<ProcessInfo> processes;
  const std::unique_ptr<DIR, CloseFolder> proc(::opendir("/proc"));
  while (const dirent* entry = proc ? ::readdir(proc.get()) : nullptr) {
    const pid_t pid = static_cast<pid_t>(std::atol(entry->d_name));
    if (pid > 0) {
      if (std::optional<ProcessInfo> info = ReadProcess(pid)) {
        processes.push_back(*std::move(info));
      }
    }
  }
  return processes;
}

bool StartedWith(pid_t pid, std::string_view entry) {
  constexpr size_t kMaxBytes = size_t{4} << 20;
  std::string environment =
      ReadProc("/proc/" + std::to_string(pid) + "/environ", kMaxBytes);
  environment.insert(0, 1, '\0');
  environment.push_back('\0');
  std::string wanted(1, '\0');
  wanted += entry;
  wanted += '\0';
  return environment.find(wanted) != std::string::npos;
}

bool SignalProcess(const ProcessInfo& process, int signal) {
  if (process.pid <= 1) {
    return false;
  }
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#define SYS_pidfd_send_signal 424
#endif
  const Descriptor pidfd(
      static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  // Looked at after the pidfd was taken, so the number cannot change hands
  // between the look and the signal.
  const std::optional<ProcessInfo> now = ReadProcess(process.pid);
  if (!now || now->start_ticks != process.start_ticks) {
    return false;
  }
  if (pidfd.valid()) {
    return ::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) ==
           0;
  }
  return ::kill(process.pid, signal) == 0;  // before Linux 5.3
}

}  // namespace zs
