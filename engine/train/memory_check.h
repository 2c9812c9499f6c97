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

}  // namespace zs

#endif  // ENGINE_TRAIN_MEMORY_CHECK_H_
