#include "engine/comm/rank_environment.h"

#include <charconv>

namespace zs {
namespace {

using Lookup = std::function<const char*(const char*)>;

// The integer in variable NAME within [low, high], or FALLBACK.
int ReadInteger(const Lookup& lookup, const char* name, int fallback, int low,
                int high, std::vector<std::string>& faults) {
  const char* text = lookup(name);
  if (text == nullptr) {
    return fallback;
  }
  const std::string_view value = text;
  int number = 0;
  const auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size() &&
      number >= low && number <= high) {
    return number;
  }
  faults.push_back("environment variable " + std::string(name) + "='" +
                   std::string(value.substr(0, 40)) + "': allowed are " +
                   std::to_string(low) + " to " + std::to_string(high));
  return fallback;
}

std::string ReadText(const Lookup& lookup, const char* name,
                     const std::string& fallback) {
  const char* text = lookup(name);
  return text == nullptr || *text == '\0' ? fallback : text;
}

}  // namespace

RankEnvironment ReadRankEnvironment(const Lookup& lookup,
                                    std::vector<std::string>& faults) {
  constexpr int kMaxRanks = 65536;
  RankEnvironment env;
  env.world_size = ReadInteger(lookup, "WORLD_SIZE", 1, 1, kMaxRanks, faults);
  env.rank = ReadInteger(lookup, "RANK", 0, 0, env.world_size - 1, faults);
  env.local_world_size = ReadInteger(lookup, "LOCAL_WORLD_SIZE", env.world_size,
                                     1, env.world_size, faults);
  env.local_rank =
      ReadInteger(lookup, "LOCAL_RANK", env.rank % env.local_world_size, 0,
                  env.local_world_size - 1, faults);
  env.master_addr = ReadText(lookup, "MASTER_ADDR", env.master_addr);
  env.master_port =
      ReadInteger(lookup, "MASTER_PORT", env.master_port, 1, 65535, faults);
  env.token = ReadText(lookup, "ZS_RENDEZVOUS_TOKEN", "");
  env.interface = ReadText(lookup, "GLOO_SOCKET_IFNAME", "");
  if (env.world_size > 1) {
    for (const char* name : {"RANK", "MASTER_ADDR", "MASTER_PORT"}) {
      if (lookup(name) == nullptr) {
        faults.push_back("environment variable " + std::string(name) +
                         " is not set, though WORLD_SIZE is " +
                         std::to_string(env.world_size));
      }
    }
  }
  return env;
}

}  // namespace zs
