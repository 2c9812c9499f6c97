// Patterns in GPU memory (see engine/comm/pattern.h).
#ifndef ENGINE_CUDA_COMM_GPU_PATTERN_H_
#define ENGINE_CUDA_COMM_GPU_PATTERN_H_

#include <cuda_runtime_api.h>

#include <memory>

#include "base/status.h"
#include "engine/comm/pattern.h"

namespace zs::gpu {

// On the current device; work is queued on STREAM.
Result<std::unique_ptr<PatternMemory>> MakeGpuPattern(cudaStream_t stream);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_COMM_GPU_PATTERN_H_
