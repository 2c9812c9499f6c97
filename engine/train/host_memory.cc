#include "engine/train/host_memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string>

namespace zs {
namespace {

// The whole of a small file of /proc or /sys, whose size is not to be known;
// empty where it cannot be read.
std::string ReadSmall(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The number at the beginning of TEXT after spaces.
std::optional<int64_t> Number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) {
    return std::nullopt;
  }
  return value;
}

// What the control group of this process leaves; "max" is no limit.
std::optional<int64_t> ControlGroupBytes() {
  const std::string groups = ReadSmall("/proc/self/cgroup");
  const size_t at = groups.find("0::/");
  if (at == std::string::npos) {
    return std::nullopt;
  }
  const std::string name =
      groups.substr(at + 3, groups.find('\n', at) - at - 3);
  const std::string folder = "/sys/fs/cgroup" + name;
  return GroupAvailableBytes(ReadSmall(folder + "/memory.max"),
                             ReadSmall(folder + "/memory.current"),
                             ReadSmall(folder + "/memory.stat"));
}

// The number of the line "NAME NUMBER" of TEXT; 0 where there is none.
int64_t Line(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(name) && line.substr(name.size()).starts_with(' ')) {
      return Number(line.substr(name.size())).value_or(0);
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return 0;
}

}  // namespace

std::optional<int64_t> GroupAvailableBytes(std::string_view max,
                                           std::string_view current,
                                           std::string_view stat) {
  const auto limit = Number(max);
  const auto used = Number(current);
  if (!limit.has_value() || !used.has_value()) {
    return std::nullopt;
  }
  const int64_t cache = Line(stat, "active_file") + Line(stat, "inactive_file");
  return std::clamp<int64_t>(*limit - *used + cache, 0, *limit);
}

std::optional<int64_t> MemAvailableBytes(std::string_view meminfo) {
  constexpr std::string_view kName = "MemAvailable:";
  const size_t at = meminfo.find(kName);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const auto kib = Number(meminfo.substr(at + kName.size()));
  return kib.has_value() ? std::optional<int64_t>(*kib * 1024) : std::nullopt;
}

std::optional<int64_t> AvailableMemoryBytes() {
  const auto host = MemAvailableBytes(ReadSmall("/proc/meminfo"));
  const auto group = ControlGroupBytes();
  if (host.has_value() && group.has_value()) {
    return std::min(*host, *group);
  }
  return host.has_value() ? host : group;
}

int64_t PeakResidentBytes() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace zs
