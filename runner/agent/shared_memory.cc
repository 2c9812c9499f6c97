#include "runner/agent/shared_memory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace zs {
namespace {

constexpr size_t kMaxMapsBytes = size_t{16} << 20;

}  // namespace

void SharedMemory::LookAt(std::string_view maps) {
  constexpr std::string_view kDeleted = " (deleted)";
  while (!maps.empty()) {
    const size_t end = maps.find('\n');
    const std::string_view line = maps.substr(0, end);
    maps.remove_prefix(end == std::string_view::npos ? maps.size() : end + 1);
    const size_t path = line.find(prefix_);
    if (path != std::string_view::npos && !line.ends_with(kDeleted)) {
      paths_.emplace(line.substr(path));
    }
  }
}

void SharedMemory::Look(const std::vector<ProcessInfo>& processes) {
  for (const ProcessInfo& process : processes) {
    LookAt(ReadProc("/proc/" + std::to_string(process.pid) + "/maps",
                    kMaxMapsBytes));
  }
}

SharedMemory::Left SharedMemory::Remove() {
  Left left;
  for (const std::string& path : paths_) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) {
      continue;
    }
    if (::unlink(path.c_str()) == 0) {
      ++left.removed;
    } else if (errno != ENOENT) {
      left.left_bytes += info.st_size;
    }
  }
  paths_.clear();
  return left;
}

}  // namespace zs
