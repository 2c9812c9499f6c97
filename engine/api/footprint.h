// The memory of one rank, predicted before anything runs.
#ifndef ENGINE_API_FOOTPRINT_H_
#define ENGINE_API_FOOTPRINT_H_

#include "engine/api/event.h"
#include "engine/api/run_config.h"

namespace zs {

// Memory of one rank by component. On CPUs: fp32 parameters, gradients and two
// fp32 moments; the stage shards optimizer (1, 2) and gradients (2); units in
// flight count as communication. `total` is the sum.
MemoryBytes PredictMemory(const RunConfig& config, int world_size);

}  // namespace zs

#endif  // ENGINE_API_FOOTPRINT_H_
