#include "runner/agent/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/clock.h"

namespace zs {
namespace {

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A mounted hierarchy: its place and which part of the hierarchy is seen there.
struct Mount {
  std::string root;
  std::string place;
};

// proc(5): "36 35 98:0 ROOT PLACE OPTIONS [optional] - TYPE SOURCE OPTIONS".
std::optional<Mount> FindVersion2(std::string_view mountinfo) {
  std::istringstream lines{std::string(mountinfo)};
  std::string line;
  while (std::getline(lines, line)) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos ||
        line.compare(dash + 3, 8, "cgroup2 ") != 0) {
      continue;
    }
    std::istringstream words(line);
    std::string skipped;
    Mount mount;
    words >> skipped >> skipped >> skipped >> mount.root >> mount.place;
    return mount;
  }
  return std::nullopt;
}

// The path behind "0::" in /proc/self/cgroup.
std::optional<std::string> Version2Path(std::string_view cgroup) {
  std::istringstream lines{std::string(cgroup)};
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with("0::")) {
      return line.substr(3);
    }
  }
  return std::nullopt;
}

// Whether a process can in fact join by JOIN_FD: the files' rights do not tell
// (delegation, threaded groups).
bool CanBeJoined(int join_fd) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::_exit(::write(join_fd, "0", 1) == 1 ? 0 : 1);
  }
  int status = 0;
  return pid > 0 && ::waitpid(pid, &status, 0) == pid && status == 0;
}

// Removes FOLDER and the groups below it; those with processes stay.
void RemoveGroups(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) {
      RemoveGroups(entry.path().string());
    }
  }
  ::rmdir(folder.c_str());
}

void AppendProcesses(const std::string& folder, std::vector<pid_t>& pids) {
  std::ifstream file(folder + "/cgroup.procs");
  for (pid_t pid = 0; file >> pid;) {
    pids.push_back(pid);
  }
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) {
      AppendProcesses(entry.path().string(), pids);
    }
  }
}

}  // namespace

std::optional<std::string> OwnCgroupFolder(std::string_view mountinfo,
                                           std::string_view cgroup) {
  const std::optional<Mount> mount = FindVersion2(mountinfo);
  std::optional<std::string> path = Version2Path(cgroup);
  if (!mount || !path) {
    return std::nullopt;
  }
  // In a container a part of the hierarchy may be mounted.
  if (mount->root != "/" && path->starts_with(mount->root)) {
    path->erase(0, mount->root.size());
  }
  return mount->place + (*path == "/" ? "" : *path);
}

std::optional<std::string> OwnCgroupFolder() {
  return OwnCgroupFolder(TextOf("/proc/self/mountinfo"),
                         TextOf("/proc/self/cgroup"));
}

std::string NearestMemoryEvents(std::string folder) {
  // Only a group has this file; the folder that they are mounted in has none.
  while (::access((folder + "/cgroup.procs").c_str(), F_OK) == 0) {
    std::string events = folder + "/memory.events";
    if (::access(events.c_str(), R_OK) == 0) {
      return events;
    }
    folder.erase(std::min(folder.rfind('/'), folder.size()));
  }
  return "";
}

std::optional<int64_t> OomKillsIn(std::string_view memory_events) {
  std::istringstream words{std::string(memory_events)};
  std::string name;
  for (int64_t count = 0; words >> name >> count;) {
    if (name == "oom_kill") {
      return count;
    }
  }
  return std::nullopt;
}

std::unique_ptr<Cgroup> Cgroup::Create() {
  const std::optional<std::string> own = OwnCgroupFolder();
  if (!own) {
    return nullptr;
  }
  // Process ids alone repeat, also between containers that share this folder.
  const std::string folder = *own + "/zs-" + std::to_string(::getpid()) + "-" +
                             std::to_string(RealClock().monotonic_ns());
  if (::mkdir(folder.c_str(), 0755) != 0) {
    return nullptr;
  }
  Descriptor join(
      ::open((folder + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (!join.valid() || ::access((folder + "/cgroup.kill").c_str(), W_OK) != 0 ||
      !CanBeJoined(join.get())) {
    ::rmdir(folder.c_str());
    return nullptr;
  }
  std::unique_ptr<Cgroup> made(new Cgroup(folder, std::move(join)));
  made->owner_ = ::getpid();
  return made;
}

Cgroup::~Cgroup() {
  if (owner_ == ::getpid()) {
    Remove();
  }
}

void Cgroup::Remove() const {
  RemoveGroups(folder_);
}

std::vector<pid_t> Cgroup::Processes() const {
  std::vector<pid_t> pids;
  AppendProcesses(folder_, pids);
  return pids;
}

void Cgroup::Kill() const {
  const Descriptor kill(
      ::open((folder_ + "/cgroup.kill").c_str(), O_WRONLY | O_CLOEXEC));
  if (kill.valid()) {
    (void)!::write(kill.get(), "1", 1);
  }
}

}  // namespace zs
