// What every CPU operator computes with.
#ifndef ENGINE_OPS_CPU_CPU_CONTEXT_H_
#define ENGINE_OPS_CPU_CPU_CONTEXT_H_

#include "engine/ops/cpu/kernels/kernels.h"
#include "engine/ops/cpu/thread_pool.h"
#include "engine/ops/cpu/workspace.h"

namespace zs {

// The threads of a rank, their scratch, and the kernels for this CPU. Used by
// one operator at a time.
struct CpuContext {
  explicit CpuContext(int threads, const Kernels& with = ActiveKernels())
      : pool(threads), kernels(with) {}

  ThreadPool pool;
  Workspace workspace;
  const Kernels& kernels;
};

// Rows of a block over which partial sums run, and rows that a task takes at
// once: some 100 us of work for usual widths.
inline constexpr int64_t kRowBlock = 64;
// Columns that a task sums alone.
inline constexpr int64_t kColumnStrip = 128;
// Query rows that attention computes at once.
inline constexpr int64_t kQueryBlock = 64;

}  // namespace zs

#endif  // ENGINE_OPS_CPU_CPU_CONTEXT_H_
