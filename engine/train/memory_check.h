// Whether a run fits in memory, before it takes any.
#ifndef ENGINE_TRAIN_MEMORY_CHECK_H_
#define ENGINE_TRAIN_MEMORY_CHECK_H_

#include <cstdint>

#include "base/status.h"
#include "engine/api/event.h"

namespace zs {

// OK where LOCAL_RANKS ranks that need NEED each fit in AVAILABLE_BYTES; else
// kResourceExhausted with the sums by component and what would help.
Status CheckFits(const MemoryBytes& need, int local_ranks,
                 int64_t available_bytes);

// The same for one rank on a GPU of TOTAL_BYTES, of which USED_BYTES were in
// use before the rank took its buffers: by its own context and by other
// processes. NEED is a prediction, so a run that lacks less than 2% is let
// through.
Status CheckGpuFits(const MemoryBytes& need, int64_t used_bytes,
                    int64_t total_bytes);

}  // namespace zs

#endif  // ENGINE_TRAIN_MEMORY_CHECK_H_
