#include "runner/agent/shared_memory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "runner/agent/run_facts.h"

namespace zs {
namespace {

constexpr size_t kMaxMapsBytes = size_t{16} << 20;

// The path in a LINE of /proc/PID/maps, "ADDRESS PERMISSIONS OFFSET DEVICE
// INODE PATH"; empty: of no file.
std::string_view PathIn(std::string_view line) {
  constexpr int kFieldsBefore = 5;
  for (int i = 0; i < kFieldsBefore; ++i) {
    line.remove_prefix(std::min(line.find(' '), line.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  }
  return line;
}

}  // namespace

void SharedMemory::LookAt(std::string_view maps) {
  constexpr std::string_view kDeleted = " (deleted)";
  while (!maps.empty()) {
    const size_t end = maps.find('\n');
    const std::string_view line = maps.substr(0, end);
    maps.remove_prefix(end == std::string_view::npos ? maps.size() : end + 1);
    const std::string_view path = PathIn(line);
    if (path.starts_with(prefix_) && !path.ends_with(kDeleted)) {
      paths_.emplace(path);
    }
  }
}

void SharedMemory::Look(const std::vector<ProcessInfo>& processes) {
  for (const ProcessInfo& process : processes) {
    LookAt(ReadProc("/proc/" + std::to_string(process.pid) + "/maps",
                    kMaxMapsBytes));
  }
}

void SharedMemory::NoteWhatIsThere() {
  if (noted_) {
    return;
  }
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(prefix_, error)) {
    struct stat info {};
    if (::lstat(entry.path().c_str(), &info) == 0) {
      there_before_.emplace(info.st_dev, info.st_ino);
    }
  }
  noted_ = !error;
}

bool SharedMemory::IsOfTheRun(const std::string& path) const {
  const std::string name = path.substr(
      prefix_.size(), path.find('/', prefix_.size()) - prefix_.size());
  if (!noted_) {
    return IsTrainingShm(name);
  }
  struct stat info {};
  return ::lstat((prefix_ + name).c_str(), &info) == 0 &&
         !there_before_.contains({info.st_dev, info.st_ino});
}

SharedMemory::Left SharedMemory::Remove() {
  Left left;
  for (const std::string& path : paths_) {
    struct stat info {};
    if (!IsOfTheRun(path) || ::lstat(path.c_str(), &info) != 0) {
      continue;
    }
    if (::unlink(path.c_str()) == 0) {
      ++left.removed;
    } else if (errno != ENOENT) {
      left.left_bytes += info.st_size;
    }
  }
  paths_.clear();
  there_before_.clear();
  noted_ = false;
  return left;
}

}  // namespace zs
