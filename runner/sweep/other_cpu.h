// How much of a node's processors other programs used during a run.
#ifndef RUNNER_SWEEP_OTHER_CPU_H_
#define RUNNER_SWEEP_OTHER_CPU_H_

#include <optional>
#include <string>
#include <vector>

#include "runner/supervise/outcome.h"

namespace zs {

// Percent of the processor time of NODE while its longest rank lived that went
// to programs that are not among its RANKS (nor waited for by them). Unknown
// where a rank's end is, the kernel did not tell, or the run took less than a
// few ticks.
std::optional<double> OtherCpuPct(const std::vector<RankExit>& ranks,
                                  const std::string& node);

}  // namespace zs

#endif  // RUNNER_SWEEP_OTHER_CPU_H_
