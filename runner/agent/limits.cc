#include "runner/agent/limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace zs {
namespace {

using Resource = decltype(RLIMIT_CORE);

constexpr std::pair<std::string_view, Resource> kLimits[] = {
    {"memlock_bytes", RLIMIT_MEMLOCK},
    {"open_files", RLIMIT_NOFILE},
    {"core_bytes", RLIMIT_CORE},
};

std::optional<rlimit> LimitOf(pid_t pid, Resource resource) {
  rlimit limit{};
  if (::prlimit(pid, resource, nullptr, &limit) != 0) {
    return std::nullopt;
  }
  return limit;
}

std::string Shown(rlim_t value, const char* unlimited) {
  return value == RLIM_INFINITY ? unlimited : std::to_string(value);
}

Result<ProcessLimit> ParseLimit(std::string_view word) {
  const size_t sign = word.find('=');
  const auto* const known = std::find_if(
      std::begin(kLimits), std::end(kLimits),
      [&](const auto& l) { return l.first == word.substr(0, sign); });
  int64_t value = 0;
  const std::string_view number =
      sign == std::string_view::npos ? "" : word.substr(sign + 1);
  const auto parsed =
      std::from_chars(number.data(), number.data() + number.size(), value);
  if (known == std::end(kLimits) || parsed.ec != std::errc() ||
      parsed.ptr != number.data() + number.size() || value < -1) {
    return InvalidArgumentError("limit '" + std::string(word) +
                                "': memlock_bytes, open_files or core_bytes, "
                                "'=' and a number are needed");
  }
  return ProcessLimit{static_cast<int>(known->second),
                      std::string(known->first), value};
}

}  // namespace

Result<std::vector<ProcessLimit>> ParseLimits(
    const std::vector<std::string>& words) {
  std::vector<ProcessLimit> limits;
  for (const std::string& word : words) {
    ASSIGN_OR_RETURN(ProcessLimit limit, ParseLimit(word));
    limits.push_back(std::move(limit));
  }
  return limits;
}

std::string LimitLines(pid_t pid) {
  std::string lines;
  for (const auto& [name, resource] : kLimits) {
    if (const auto limit = LimitOf(pid, resource)) {
      lines += std::string(name) + " " + Shown(limit->rlim_cur, "-1") +
               "\nhard_" + std::string(name) + " " +
               Shown(limit->rlim_max, "-1") + "\n";
    }
  }
  return lines;
}

std::string LimitsInEffect(pid_t pid) {
  std::string text;
  for (const auto& [name, resource] : kLimits) {
    if (const auto limit = LimitOf(pid, resource)) {
      text += (text.empty() ? "" : ", ") + std::string(name) + " " +
              Shown(limit->rlim_cur, "unlimited");
    }
  }
  return text;
}

}  // namespace zs
