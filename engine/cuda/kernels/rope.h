// RMSNorm over each head of q and k and rotary position embedding, in one
// pass. bf16 in memory, fp32 inside.
#ifndef ENGINE_CUDA_KERNELS_ROPE_H_
#define ENGINE_CUDA_KERNELS_ROPE_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/status.h"
#include "engine/cuda/kernels/types.h"

namespace zs::gpu {

constexpr int64_t kMaxHeadSize = 512;

// A row is a token: its query heads, then its key heads, HEAD_SIZE elements
// each, then what is left alone. The row's position is row mod seq_len.
// Element i < head_size / 2 pairs with i + head_size / 2.
struct QkShape {
  int64_t rows = 0;
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t head_size = 0;  // even, at most kMaxHeadSize
  int64_t seq_len = 0;
  const Bf16* q_gain = nullptr;  // {head_size}; null: no norm
  const Bf16* k_gain = nullptr;
  const float* cos = nullptr;  // {>= seq_len, head_size / 2}; null: no
  const float* sin = nullptr;  // rotation
  float eps = 1e-6f;
};

// out = rotate(norm(in)). IN and OUT may be the same memory.
struct QkForward {
  QkShape shape;
  const Bf16* in = nullptr;
  int64_t in_stride = 0;  // elements from row to row
  Bf16* out = nullptr;
  int64_t out_stride = 0;
  float* rstd = nullptr;  // {rows, heads + kv_heads}: 1/rms; with norm
};
Status LaunchQkForward(const QkForward& args, cudaStream_t stream);

// GRAD holds gradients of `out` and gets those of `in`. Gradients of the gains
// are summed in a fixed order.
struct QkBackward {
  QkShape shape;
  const Bf16* in = nullptr;  // what the forward pass read; with norm
  int64_t in_stride = 0;
  const float* rstd = nullptr;  // what it wrote
  Bf16* grad = nullptr;
  int64_t grad_stride = 0;
  Grad dq_gain;
  Grad dk_gain;
  float* scratch = nullptr;  // QkBackwardScratch(head_size) floats; with
                             // norm
};
Status LaunchQkBackward(const QkBackward& args, cudaStream_t stream);

int64_t QkBackwardScratch(int64_t head_size);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_KERNELS_ROPE_H_
