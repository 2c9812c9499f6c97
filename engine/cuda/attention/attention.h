// Causal grouped-query attention on packed matrices, by whichever
// implementation is there: what both share.
#ifndef ENGINE_CUDA_ATTENTION_ATTENTION_H_
#define ENGINE_CUDA_ATTENTION_ATTENTION_H_

#include <cmath>
#include <compare>
#include <cstdint>

#include "engine/cuda/kernels/types.h"

namespace zs::gpu {

// A matrix with a row for each token; head h lies in columns [h x head_size,
// (h + 1) x head_size). Row b x seq_len + t is position t of sequence b.
struct AttentionSizes {
  int64_t batch = 0;
  int64_t seq_len = 0;
  int64_t heads = 0;     // of queries
  int64_t kv_heads = 0;  // divides heads
  int64_t head_size = 0;

  float scale() const {  // of the scores
    return 1.0f / std::sqrt(static_cast<float>(head_size));
  }
  auto operator<=>(const AttentionSizes&) const = default;
};

// Elements from row to row of each matrix. Those of gradients are read by the
// backward pass alone.
struct AttentionStrides {
  int64_t q = 0, k = 0, v = 0, out = 0;
  int64_t dout = 0, dq = 0, dk = 0, dv = 0;

  auto operator<=>(const AttentionStrides&) const = default;
};

struct AttentionLayout {
  AttentionSizes sizes;
  AttentionStrides strides;

  auto operator<=>(const AttentionLayout&) const = default;
};

// Device memory. lse: fp32 {batch, heads, seq_len}, log(sum(exp(scores))).
struct AttentionForwardData {
  const Bf16* q = nullptr;
  const Bf16* k = nullptr;
  const Bf16* v = nullptr;
  Bf16* out = nullptr;
  float* lse = nullptr;
};
struct AttentionBackwardData {
  AttentionForwardData forward;  // `out` and `lse` are read
  const Bf16* dout = nullptr;
  Bf16* dq = nullptr;
  Bf16* dk = nullptr;
  Bf16* dv = nullptr;
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_ATTENTION_ATTENTION_H_
