// LayerNorm and RMSNorm over the last axis, with the addition of the residual
// before it in the same pass. bf16 in memory, fp32 inside.
#ifndef ENGINE_CUDA_KERNELS_NORM_H_
#define ENGINE_CUDA_KERNELS_NORM_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/status.h"
#include "engine/cuda/kernels/types.h"

namespace zs::gpu {

enum class NormKind { kLayerNorm, kRmsNorm };

constexpr int64_t kMaxNormWidth = 16384;

// sum = x + residual (rounded to bf16); y = norm(sum) x gain + bias.
struct NormForward {
  NormKind kind = NormKind::kRmsNorm;
  const Bf16* x = nullptr;         // {rows, width}
  const Bf16* residual = nullptr;  // {rows, width}; null: sum is x
  const Bf16* gain = nullptr;      // {width}
  const Bf16* bias = nullptr;      // {width}; null: none
  Bf16* sum = nullptr;             // {rows, width}; may be x or residual
                                   // itself; null: not written
  Bf16* y = nullptr;               // {rows, width}
  float* stats = nullptr;          // {rows, 2}: mean (0 for RMSNorm) and
                                   // 1 / sqrt(variance + eps)
  int64_t rows = 0;
  int64_t width = 0;  // at most kMaxNormWidth
  float eps = 1e-5f;
};
Status LaunchNormForward(const NormForward& args, cudaStream_t stream);

// dx = gradient of the norm's input + dresidual. Gradients of gain and bias
// are summed in a fixed order.
struct NormBackward {
  NormKind kind = NormKind::kRmsNorm;
  const Bf16* dy = nullptr;         // {rows, width}
  const Bf16* sum = nullptr;        // {rows, width}: the norm's input
  const Bf16* gain = nullptr;       // {width}
  const float* stats = nullptr;     // {rows, 2}, as the forward pass wrote
  const Bf16* dresidual = nullptr;  // {rows, width}; null: zero
  Bf16* dx = nullptr;               // {rows, width}; may be dy or dresidual
  Grad dgain;                       // {width}
  Grad dbias;                       // {width}; data null: none
  float* scratch = nullptr;         // NormBackwardScratch(width) floats
  int64_t rows = 0;
  int64_t width = 0;  // at most kMaxNormWidth
};
Status LaunchNormBackward(const NormBackward& args, cudaStream_t stream);

// Floats of scratch memory that a backward pass of this width needs.
int64_t NormBackwardScratch(int64_t width);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_KERNELS_NORM_H_
