// The proof that a checkpoint can be loaded: a second set of processes goes on
// from it and must reproduce what the first did.
#ifndef RUNNER_BACKEND_VERIFY_LOAD_H_
#define RUNNER_BACKEND_VERIFY_LOAD_H_

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

// Whether each rank of RESUMED says that it loaded a checkpoint of step
// LOADED_STEP; kDataLoss names one that does not.
Status CheckLoaded(const RunRecord& resumed, int64_t loaded_step);

// Whether RESUMED, which began at a checkpoint of step LOADED_STEP, repeats
// what FIRST did after it, and that alone: at each step a loss that differs by
// at most the share TOLERANCE (0: bit by bit, and the gradient norm too), and,
// where the ranks tell them, the same parameters at the end. kDataLoss names
// the first difference. A step whose loss one of the two did not tell proves
// nothing and differs.
Status CompareAfterLoad(const RunRecord& first, const RunRecord& resumed,
                        int64_t loaded_step, double tolerance);

}  // namespace zs

#endif  // RUNNER_BACKEND_VERIFY_LOAD_H_
