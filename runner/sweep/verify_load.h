// The proof that a checkpoint can be loaded: a second set of processes goes on
// from it and must reproduce what the first did.
#ifndef RUNNER_SWEEP_VERIFY_LOAD_H_
#define RUNNER_SWEEP_VERIFY_LOAD_H_

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "engine/api/event.h"
#include "runner/backend/run_record.h"

namespace zs {

// The last checkpoint that was saved before the final step, since only one with
// steps left can be gone on from; absent where there is none.
std::optional<CheckpointEvent> CheckpointToLoad(const RunRecord& record);

// Whether RESUMED, which began at a checkpoint of step LOADED_STEP, repeats
// what FIRST did after it: the same loss and gradient norm at each step and the
// same parameters at the end, bit by bit. kDataLoss names the first difference.
Status CompareResumed(const RunRecord& first, const RunRecord& resumed,
                      int64_t loaded_step);

}  // namespace zs

#endif  // RUNNER_SWEEP_VERIFY_LOAD_H_
