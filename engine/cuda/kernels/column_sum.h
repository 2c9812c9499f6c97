// Sums over the rows of a matrix, always in the same order: gradients of
// biases and of norms' gains.
#ifndef ENGINE_CUDA_KERNELS_COLUMN_SUM_H_
#define ENGINE_CUDA_KERNELS_COLUMN_SUM_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/status.h"
#include "engine/cuda/kernels/types.h"

namespace zs::gpu {

// PARTIALS: {rows, columns} fp32, rows PITCH floats apart; out: {columns}.
struct PartialSums {
  const float* partials = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t pitch = 0;
  Grad out;
};
Status LaunchAddPartialSums(const PartialSums& args, cudaStream_t stream);

// The gradient of a bias that was added to each row: the sum of dy's rows.
struct BiasGrad {
  const Bf16* dy = nullptr;  // {rows, columns}
  int64_t rows = 0;
  int64_t columns = 0;
  Grad dbias;                // {columns}
  float* scratch = nullptr;  // BiasGradScratch(columns) floats
};
Status LaunchBiasGrad(const BiasGrad& args, cudaStream_t stream);

// Floats of scratch memory that a matrix of this many columns needs.
int64_t BiasGradScratch(int64_t columns);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_KERNELS_COLUMN_SUM_H_
