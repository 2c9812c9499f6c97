// The memory of one rank, predicted before anything runs.
#ifndef ENGINE_API_FOOTPRINT_H_
#define ENGINE_API_FOOTPRINT_H_

#include "engine/api/event.h"
#include "engine/api/run_config.h"

namespace zs {

// Memory of one rank by component: fp32 parameters (on GPUs with a bf16 copy),
// gradients and two fp32 moments; the stage shards optimizer (1, 2) and
// gradients (2); units in flight count as communication. `total` is the sum; on
// GPUs with what cudaMalloc rounds up and what libraries take for themselves
// (gpu_footprint.h).
MemoryBytes PredictMemory(const RunConfig& config, int world_size);

}  // namespace zs

#endif  // ENGINE_API_FOOTPRINT_H_
