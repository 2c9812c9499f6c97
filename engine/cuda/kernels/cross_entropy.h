// Softmax, cross-entropy and its gradient in place over the logits.
#ifndef ENGINE_CUDA_KERNELS_CROSS_ENTROPY_H_
#define ENGINE_CUDA_KERNELS_CROSS_ENTROPY_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/status.h"
#include "engine/cuda/kernels/types.h"

namespace zs::gpu {

// losses[i] = log(sum(exp(row))) - row[target]; then the row holds
// scale x (softmax(row) - one_hot(target)), and zeros from VOCAB to STRIDE.
struct CrossEntropy {
  Bf16* logits = nullptr;            // {rows, vocab}
  const int32_t* targets = nullptr;  // {rows}; outside [0, vocab): the row's
                                     // loss and gradient are zero
  float* losses = nullptr;           // {rows}
  int64_t rows = 0;
  int64_t vocab = 0;
  int64_t stride = 0;  // elements from row to row
  float scale = 0;     // 0: the logits stay as they are
};
Status LaunchCrossEntropy(const CrossEntropy& args, cudaStream_t stream);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_KERNELS_CROSS_ENTROPY_H_
