#include "runner/agent/oom_watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "runner/agent/cgroup.h"

namespace zs {
namespace {

// The inode of the first namespace of process ids (PROC_PID_INIT_INO of the
// kernel): only there are ids those of the kernel's log.
constexpr ino_t kFirstNamespace = 0xEFFFFFFCU;
// Longer than any record of /dev/kmsg.
constexpr size_t kRecordBytes = 8192;

int64_t CountedKills() {
  struct Close {
    void operator()(FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<FILE, Close> file(std::fopen("/proc/vmstat", "re"));
  char line[256];
  while (file && std::fgets(line, sizeof line, file.get()) != nullptr) {
    if (std::strncmp(line, "oom_kill ", 9) == 0) {
      return std::atoll(line + 9);
    }
  }
  return 0;
}

std::optional<int64_t> CountedInGroup(const std::string& memory_events) {
  std::ifstream file(memory_events);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return OomKillsIn(text);
}

Descriptor LogFromNowOn() {
  struct stat info {};
  if (::stat("/proc/self/ns/pid", &info) != 0 ||
      info.st_ino != kFirstNamespace) {
    return Descriptor();
  }
  Descriptor log(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (log.valid() && ::lseek(log.get(), 0, SEEK_END) < 0) {
    log.Reset();
  }
  return log;
}

}  // namespace

bool TellsOfOomKill(std::string_view record, pid_t pid) {
  const std::string words = "Killed process " + std::to_string(pid) + " (";
  return record.find("emory") != std::string_view::npos &&
         record.find(words) != std::string_view::npos;
}

OomWatch::OomWatch(std::string memory_events)
    : memory_events_(std::move(memory_events)),
      group_before_(CountedInGroup(memory_events_)),
      before_(CountedKills()),
      log_(LogFromNowOn()) {}

std::optional<int64_t> OomWatch::KillsInGroup() const {
  const std::optional<int64_t> now = CountedInGroup(memory_events_);
  return group_before_ && now ? std::optional(*now - *group_before_)
                              : std::nullopt;
}

int64_t OomWatch::Kills(pid_t pid) {
  const std::optional<int64_t> in_group = KillsInGroup();
  if (in_group && *in_group > 0) {
    return *in_group;
  }
  const int64_t kills = CountedKills() - before_;
  if (kills <= 0 || !log_.valid()) {
    return in_group.value_or(kills);
  }
  char record[kRecordBytes];
  for (;;) {
    const ssize_t n = ::read(log_.get(), record, sizeof record);
    if (n < 0 && (errno == EINTR || errno == EPIPE)) {
      continue;  // EPIPE: records were overwritten; the next read goes on
    }
    if (n <= 0) {
      return 0;  // the log has them all, and this process is not among them
    }
    if (TellsOfOomKill({record, static_cast<size_t>(n)}, pid)) {
      return kills;
    }
  }
}

}  // namespace zs
