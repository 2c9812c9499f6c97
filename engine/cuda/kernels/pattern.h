// Repeated values in GPU memory: written, and compared.
#ifndef ENGINE_CUDA_KERNELS_PATTERN_H_
#define ENGINE_CUDA_KERNELS_PATTERN_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/status.h"

namespace zs::gpu {

// data[i] and table[(first + i) mod period].
struct PatternRange {
  float* data = nullptr;
  int64_t count = 0;
  int64_t first = 0;             // below period
  const float* table = nullptr;  // {period}
  int64_t period = 1;
};
Status LaunchFillPattern(const PatternRange& args, cudaStream_t stream);

// Adds the number of elements that differ to *WRONG.
Status LaunchCountWrong(const PatternRange& args, unsigned long long* wrong,
                        cudaStream_t stream);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_KERNELS_PATTERN_H_
