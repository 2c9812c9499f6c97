// Which step lines of a trainer's log say nothing of its speed.
#ifndef RUNNER_OBSERVE_DIAGNOSE_STEP_MARK_H_
#define RUNNER_OBSERVE_DIAGNOSE_STEP_MARK_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "runner/observe/diagnose/facts.h"

namespace zs {

// The iterations at which the run stopped for an evaluation or a save, sorted.
std::vector<int64_t> PausesOf(const RunFacts& facts);

// A step line: it speaks for the iterations (FROM, ITERATION].
struct StepSpan {
  int64_t from = 0;
  int64_t iteration = 0;
  int64_t first_line = 0;  // iteration of the first line of its run
};

// Why the time of a Megatron-like step line is in no statistics: "first" (it
// holds iteration 1), "pause" (a pause falls into it); empty: it is.
std::string_view StepMark(const StepSpan& span,
                          const std::vector<int64_t>& pauses);

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_STEP_MARK_H_
