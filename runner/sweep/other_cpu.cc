#include "runner/sweep/other_cpu.h"

#include <algorithm>

namespace zs {
namespace {

// The kernel counts in hundredths of a second on each processor.
constexpr double kLeastCpuS = 1;

}  // namespace

std::optional<double> OtherCpuPct(const std::vector<RankExit>& ranks,
                                  const std::string& node) {
  const RankExit* longest = nullptr;
  double own_s = 0;
  for (const RankExit& rank : ranks) {
    if (rank.node != node) {
      continue;
    }
    if (!rank.ended) {
      return std::nullopt;
    }
    own_s += rank.user_cpu_s + rank.system_cpu_s;
    if (longest == nullptr || rank.host_all_cpu_s > longest->host_all_cpu_s) {
      longest = &rank;
    }
  }
  if (longest == nullptr || longest->host_all_cpu_s < kLeastCpuS) {
    return std::nullopt;
  }
  const double others_s = std::max(0.0, longest->host_busy_cpu_s - own_s);
  return 100 * others_s / longest->host_all_cpu_s;
}

}  // namespace zs
