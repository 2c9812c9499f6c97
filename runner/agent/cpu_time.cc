#include "runner/agent/cpu_time.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string>

namespace zs {
namespace {

enum Tick { kUser, kNice, kSystem, kIdle, kIoWait, kIrq, kSoftIrq, kSteal };
constexpr size_t kTicks = kSteal + 1;

}  // namespace

std::optional<CpuTime> ParseCpuLine(std::string_view line,
                                    int64_t ticks_per_s) {
  if (!line.starts_with("cpu ") || ticks_per_s <= 0) {
    return std::nullopt;
  }
  line.remove_prefix(4);
  std::array<int64_t, kTicks> ticks{};
  for (int64_t& tick : ticks) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const auto [end, error] =
        std::from_chars(line.data(), line.data() + line.size(), tick);
    if (error != std::errc() || tick < 0) {
      return std::nullopt;
    }
    line.remove_prefix(end - line.data());
  }
  int64_t all = 0;
  for (const int64_t tick : ticks) {
    all += tick;
  }
  const int64_t busy = all - ticks[kIdle] - ticks[kIoWait];
  const int64_t tick_us = 1'000'000 / ticks_per_s;
  return CpuTime{busy * tick_us, all * tick_us};
}

std::optional<CpuTime> HostCpuTime() {
  std::ifstream file("/proc/stat");
  std::string line;
  std::getline(file, line);
  return ParseCpuLine(line, ::sysconf(_SC_CLK_TCK));
}

}  // namespace zs
