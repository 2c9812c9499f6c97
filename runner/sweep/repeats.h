// Carries out the repeats of neighbours: interleaved, and further ones while a
// comparison is undecided.
#ifndef RUNNER_SWEEP_REPEATS_H_
#define RUNNER_SWEEP_REPEATS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/status.h"
#include "runner/plan/spec/experiment.h"
#include "runner/sweep/blocks.h"

namespace zs {

// What repeats are carried out with.
struct RepeatTools {
  const Sweep& sweep;
  uint64_t seed = 0;  // of the order (blocks.h)
  // Runs the member's next repeat and counts it on, or finds that it has to
  // stop.
  std::function<Status(Member&)> run;
  std::function<bool()> must_stop;
  // The experiments whose pairs are undecided now, as indices.
  std::function<Result<std::vector<size_t>>()> undecided;
  std::function<void(size_t members)> spending;  // further repeats begin
};

// Runs `repeats` of each of MEMBERS, and then, of those that are undecided,
// more up to `until.max`. Errors are those of TOOLS.
Status RunRepeats(std::vector<Member>& members, const RepeatTools& tools);

}  // namespace zs

#endif  // RUNNER_SWEEP_REPEATS_H_
