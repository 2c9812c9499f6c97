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
  const auto limit = Number(ReadSmall(folder + "/memory.max"));
  const auto used = Number(ReadSmall(folder + "/memory.current"));
  if (!limit.has_value() || !used.has_value()) {
    return std::nullopt;
  }
  return std::max<int64_t>(*limit - *used, 0);
}

}  // namespace

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
