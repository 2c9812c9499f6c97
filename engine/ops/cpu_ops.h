// The operators on CPUs, in fp32.
#ifndef ENGINE_OPS_CPU_OPS_H_
#define ENGINE_OPS_CPU_OPS_H_

#include <memory>

#include "engine/ops/ops.h"

namespace zs {

// Operators that compute on THREADS >= 1 threads, the caller's among them; no
// library starts others beside them. The same inputs and THREADS give the same
// bits.
std::unique_ptr<Ops> MakeCpuOps(int threads);

}  // namespace zs

#endif  // ENGINE_OPS_CPU_OPS_H_
