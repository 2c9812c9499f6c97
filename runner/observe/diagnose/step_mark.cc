#include "runner/observe/diagnose/step_mark.h"

#include <algorithm>

namespace zs {
namespace {

// Whether [FIRST, LAST) holds one of the sorted ITERATIONS.
bool Holds(const std::vector<int64_t>& iterations, int64_t first,
           int64_t last) {
  const auto it = std::lower_bound(iterations.begin(), iterations.end(), first);
  return it != iterations.end() && *it < last;
}

}  // namespace

std::vector<int64_t> PausesOf(const RunFacts& facts) {
  std::vector<int64_t> pauses = facts.validations;
  for (const CheckpointFact& checkpoint : facts.checkpoints) {
    if (checkpoint.action == CheckpointAction::kSaving ||
        checkpoint.action == CheckpointAction::kSaved) {
      pauses.push_back(checkpoint.iteration);
    }
  }
  std::sort(pauses.begin(), pauses.end());
  return pauses;
}

std::string_view StepMark(const StepSpan& span,
                          const std::vector<int64_t>& pauses) {
  // The first line after iteration 1 may still average over it (0.16 and
  // later do not reset their counters there).
  if (span.from <= 0 || (span.from == 1 && span.first_line == 1)) {
    return "first";
  }
  const bool pause =
      Holds(pauses, std::max<int64_t>(span.from, 1), span.iteration);
  return pause ? "pause" : "";
}

}  // namespace zs
