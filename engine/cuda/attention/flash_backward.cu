#include "engine/cuda/attention/flash_attention.h"
#include "engine/cuda/attention/flash_tile.cuh"
#include "engine/cuda/check.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {
namespace flash {
namespace {

// delta[b][h][t] = dout . out of that query: a warp each.
__global__ void DeltaKernel(AttentionLayout layout, AttentionBackwardData data,
                            float* delta) {
  const AttentionSizes& s = layout.sizes;
  const int64_t item = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (item >= s.batch * s.heads * s.seq_len) {
    return;
  }
  const int64_t t = item % s.seq_len;
  const int64_t head = item / s.seq_len % s.heads;
  const int64_t token = item / (s.seq_len * s.heads) * s.seq_len + t;
  const HeadView out =
      ViewOf(data.forward.out, layout.strides.out, token, head * s.head_size);
  const HeadView dout =
      ViewOf(data.dout, layout.strides.dout, token, head * s.head_size);
  float sum = 0.0f;
  for (int64_t i = threadIdx.x % 32; i < s.head_size; i += 32) {
    sum += __bfloat162float(out.data[i]) * __bfloat162float(dout.data[i]);
  }
  sum = LaneSum<32>(sum);
  if (threadIdx.x % 32 == 0) {
    delta[item] = sum;
  }
}

// dq = scale x dS k, dS = P x (dout v^T - delta). Grid as ForwardKernel's.
template <int kPairs>
__global__ void __launch_bounds__(kWarps * 32)
    QueryGradientKernel(AttentionLayout layout, AttentionBackwardData data,
                        const float* delta) {
  extern __shared__ uint4 memory[];
  auto& shared = *reinterpret_cast<Shared<kPairs>*>(memory);
  const AttentionSizes& s = layout.sizes;
  const int64_t first = int64_t{blockIdx.x} * kBlockRows;
  const int64_t head = blockIdx.y;
  const int64_t token = int64_t{blockIdx.z} * s.seq_len;
  const int64_t stat = (blockIdx.z * s.heads + head) * s.seq_len;
  const int64_t kv_column = head / (s.heads / s.kv_heads) * s.head_size;
  const HeadView k = ViewOf(data.forward.k, layout.strides.k, token, kv_column);
  const HeadView v = ViewOf(data.forward.v, layout.strides.v, token, kv_column);
  Fill(shared.rows_a,
       ViewOf(data.forward.q, layout.strides.q, token, head * s.head_size),
       first, s.seq_len, s.head_size);
  Fill(shared.rows_b,
       ViewOf(data.dout, layout.strides.dout, token, head * s.head_size), first,
       s.seq_len, s.head_size);
  const int warp_row = threadIdx.x / 32 * kRows;
  const int lane = threadIdx.x % 32;
  const float scale = 1.0f / sqrtf(static_cast<float>(s.head_size));
  float2 dq[kRows][kPairs] = {};
  for (int64_t key = 0; key < min(first + kBlockRows, s.seq_len);
       key += kTile) {
    __syncthreads();
    Fill(shared.tile_a, k, key, s.seq_len, s.head_size);
    Fill(shared.tile_b, v, key, s.seq_len, s.head_size);
    __syncthreads();
    float score[kRows], grad[kRows];
    Dots(&shared.rows_a[warp_row], shared.tile_a[lane], score);
    Dots(&shared.rows_b[warp_row], shared.tile_b[lane], grad);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int64_t row = first + warp_row + r;
      const bool seen = key + lane <= row && row < s.seq_len;
      const float p =
          seen ? __expf(scale * score[r] - data.forward.lse[stat + row]) : 0.0f;
      grad[r] = seen ? p * (grad[r] - delta[stat + row]) : 0.0f;
    }
    AddWeighted<kPairs>(grad, shared.tile_a, dq);
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int64_t row = first + warp_row + r;
    if (row < s.seq_len) {
      StoreSum<kPairs>(
          dq[r], scale,
          data.dq + (token + row) * layout.strides.dq + head * s.head_size,
          s.head_size);
    }
  }
}

// dv = P^T dout and dk = scale x dS^T q, summed over the query heads that read
// the key's head. Grid: {blocks of 16 keys, kv_heads, batch}.
template <int kPairs>
__global__ void __launch_bounds__(kWarps * 32)
    KeyGradientKernel(AttentionLayout layout, AttentionBackwardData data,
                      const float* delta) {
  extern __shared__ uint4 memory[];
  auto& shared = *reinterpret_cast<Shared<kPairs>*>(memory);
  const AttentionSizes& s = layout.sizes;
  const int64_t first = int64_t{blockIdx.x} * kBlockRows;
  const int64_t token = int64_t{blockIdx.z} * s.seq_len;
  const int64_t column = blockIdx.y * s.head_size;
  const int64_t group = s.heads / s.kv_heads;
  Fill(shared.rows_a, ViewOf(data.forward.k, layout.strides.k, token, column),
       first, s.seq_len, s.head_size);
  Fill(shared.rows_b, ViewOf(data.forward.v, layout.strides.v, token, column),
       first, s.seq_len, s.head_size);
  const int warp_row = threadIdx.x / 32 * kRows;
  const int lane = threadIdx.x % 32;
  const float scale = 1.0f / sqrtf(static_cast<float>(s.head_size));
  float2 dk[kRows][kPairs] = {}, dv[kRows][kPairs] = {};
  for (int64_t head = blockIdx.y * group; head < (blockIdx.y + 1) * group;
       ++head) {
    const HeadView q =
        ViewOf(data.forward.q, layout.strides.q, token, head * s.head_size);
    const HeadView dout =
        ViewOf(data.dout, layout.strides.dout, token, head * s.head_size);
    const int64_t stat = (blockIdx.z * s.heads + head) * s.seq_len;
    for (int64_t query = first / kTile * kTile; query < s.seq_len;
         query += kTile) {
      __syncthreads();
      Fill(shared.tile_a, q, query, s.seq_len, s.head_size);
      Fill(shared.tile_b, dout, query, s.seq_len, s.head_size);
      __syncthreads();
      float p[kRows], grad[kRows];
      Dots(&shared.rows_a[warp_row], shared.tile_a[lane], p);
      Dots(&shared.rows_b[warp_row], shared.tile_b[lane], grad);
      const int64_t row = query + lane;
      const float lse = row < s.seq_len ? data.forward.lse[stat + row] : 0.0f;
      const float d = row < s.seq_len ? delta[stat + row] : 0.0f;
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const bool seen = first + warp_row + r <= row && row < s.seq_len;
        p[r] = seen ? __expf(scale * p[r] - lse) : 0.0f;
        grad[r] = p[r] * (grad[r] - d);
      }
      AddWeighted<kPairs>(p, shared.tile_b, dv);
      AddWeighted<kPairs>(grad, shared.tile_a, dk);
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int64_t row = first + warp_row + r;
    if (row < s.seq_len) {
      StoreSum<kPairs>(dk[r], scale,
                       data.dk + (token + row) * layout.strides.dk + column,
                       s.head_size);
      StoreSum<kPairs>(dv[r], 1.0f,
                       data.dv + (token + row) * layout.strides.dv + column,
                       s.head_size);
    }
  }
}

template <int kPairs>
Status Backward(const AttentionLayout& layout,
                const AttentionBackwardData& data, float* delta,
                cudaStream_t stream) {
  constexpr size_t kBytes = sizeof(Shared<kPairs>);
  const AttentionSizes& s = layout.sizes;
  RETURN_IF_ERROR(AllowShared(QueryGradientKernel<kPairs>, kBytes));
  RETURN_IF_ERROR(AllowShared(KeyGradientKernel<kPairs>, kBytes));
  DeltaKernel<<<static_cast<unsigned>(
                    CeilDiv(s.batch * s.heads * s.seq_len, 8)),
                256, 0, stream>>>(layout, data, delta);
  RETURN_IF_ERROR(LaunchStatus("flash attention delta"));
  QueryGradientKernel<kPairs>
      <<<Grid(s, s.heads), kWarps * 32, kBytes, stream>>>(layout, data, delta);
  RETURN_IF_ERROR(LaunchStatus("flash attention dq"));
  KeyGradientKernel<kPairs>
      <<<Grid(s, s.kv_heads), kWarps * 32, kBytes, stream>>>(layout, data,
                                                             delta);
  return LaunchStatus("flash attention dk, dv");
}

}  // namespace
}  // namespace flash

Status LaunchFlashBackward(const AttentionLayout& layout,
                           const AttentionBackwardData& data, float* scratch,
                           cudaStream_t stream) {
  RETURN_IF_ERROR(flash::CheckSizes(layout.sizes));
  if (layout.sizes.head_size <= 64) {
    return flash::Backward<1>(layout, data, scratch, stream);
  }
  if (layout.sizes.head_size <= 128) {
    return flash::Backward<2>(layout, data, scratch, stream);
  }
  return flash::Backward<4>(layout, data, scratch, stream);
}

int64_t FlashScratch(const AttentionSizes& sizes) {
  return sizes.batch * sizes.heads * sizes.seq_len;
}

}  // namespace zs::gpu
