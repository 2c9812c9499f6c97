// Memory of the host that a device can reach by itself.
#ifndef ENGINE_OPS_PINNED_H_
#define ENGINE_OPS_PINNED_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "base/status.h"
#include "engine/ops/ops.h"

namespace zs {

// An array of plain data; see Ops::AllocatePinned.
template <typename T>
using Pinned = std::unique_ptr<T[], std::function<void(T*)>>;

// COUNT of T, contents unspecified. OPS outlives them.
template <typename T>
Result<Pinned<T>> AllocatePinned(Ops& ops, int64_t count) {
  ASSIGN_OR_RETURN(void* const data,
                   ops.AllocatePinned(count * static_cast<int64_t>(sizeof(T))));
  return Pinned<T>(static_cast<T*>(data),
                   [&ops](T* values) { ops.FreePinned(values); });
}

}  // namespace zs

#endif  // ENGINE_OPS_PINNED_H_
