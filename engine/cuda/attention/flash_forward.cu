#include "engine/cuda/attention/flash_attention.h"
#include "engine/cuda/attention/flash_tile.cuh"
#include "engine/cuda/check.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {
namespace flash {
namespace {

// The softmax of a row, so far.
template <int kPairs>
struct Softmax {
  float max[kRows];
  float sum[kRows];
  float2 out[kRows][kPairs];

  __device__ Softmax() {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      max[r] = kMinusInfinity;
      sum[r] = 0.0f;
#pragma unroll
      for (int p = 0; p < kPairs; ++p) {
        out[r][p] = make_float2(0.0f, 0.0f);
      }
    }
  }
  // Takes a tile's scores (this lane's) and leaves their weights in SCORE.
  __device__ void Add(float (&score)[kRows]) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float top = fmaxf(max[r], WarpMax(score[r]));
      const float shrink =
          max[r] == kMinusInfinity ? 0.0f : __expf(max[r] - top);
      const float weight =
          score[r] == kMinusInfinity ? 0.0f : __expf(score[r] - top);
      sum[r] = sum[r] * shrink + LaneSum<32>(weight);
      max[r] = top;
      score[r] = weight;
#pragma unroll
      for (int p = 0; p < kPairs; ++p) {
        out[r][p].x *= shrink;
        out[r][p].y *= shrink;
      }
    }
  }
};

// Grid: {blocks of 16 queries, heads, batch}.
template <int kPairs>
__global__ void __launch_bounds__(kWarps * 32)
    ForwardKernel(AttentionLayout layout, AttentionForwardData data) {
  extern __shared__ uint4 memory[];
  auto& shared = *reinterpret_cast<Shared<kPairs>*>(memory);
  const AttentionSizes& s = layout.sizes;
  const int64_t first = int64_t{blockIdx.x} * kBlockRows;
  const int64_t head = blockIdx.y;
  const int64_t token = int64_t{blockIdx.z} * s.seq_len;
  const int64_t kv_column = head / (s.heads / s.kv_heads) * s.head_size;
  const HeadView k = ViewOf(data.k, layout.strides.k, token, kv_column);
  const HeadView v = ViewOf(data.v, layout.strides.v, token, kv_column);
  Fill(shared.rows_a,
       ViewOf(data.q, layout.strides.q, token, head * s.head_size), first,
       s.seq_len, s.head_size);
  const int warp_row = threadIdx.x / 32 * kRows;
  const int lane = threadIdx.x % 32;
  const float scale = 1.0f / sqrtf(static_cast<float>(s.head_size));
  Softmax<kPairs> softmax;
  for (int64_t key = 0; key < min(first + kBlockRows, s.seq_len);
       key += kTile) {
    __syncthreads();
    Fill(shared.tile_a, k, key, s.seq_len, s.head_size);
    Fill(shared.tile_b, v, key, s.seq_len, s.head_size);
    __syncthreads();
    float score[kRows];
    Dots(&shared.rows_a[warp_row], shared.tile_a[lane], score);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const bool seen = key + lane <= first + warp_row + r;
      score[r] = seen ? scale * score[r] : kMinusInfinity;
    }
    softmax.Add(score);
    AddWeighted<kPairs>(score, shared.tile_b, softmax.out);
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int64_t row = first + warp_row + r;
    if (row < s.seq_len) {
      StoreSum<kPairs>(
          softmax.out[r], 1.0f / softmax.sum[r],
          data.out + (token + row) * layout.strides.out + head * s.head_size,
          s.head_size);
      data.lse[(blockIdx.z * s.heads + head) * s.seq_len + row] =
          softmax.max[r] + logf(softmax.sum[r]);
    }
  }
}

template <int kPairs>
Status Forward(const AttentionLayout& layout, const AttentionForwardData& data,
               cudaStream_t stream) {
  constexpr size_t kBytes = sizeof(Shared<kPairs>);
  RETURN_IF_ERROR(AllowShared(ForwardKernel<kPairs>, kBytes));
  ForwardKernel<kPairs>
      <<<Grid(layout.sizes, layout.sizes.heads), kWarps * 32, kBytes, stream>>>(
          layout, data);
  return LaunchStatus("flash attention forward");
}

}  // namespace
}  // namespace flash

Status LaunchFlashForward(const AttentionLayout& layout,
                          const AttentionForwardData& data,
                          cudaStream_t stream) {
  RETURN_IF_ERROR(flash::CheckSizes(layout.sizes));
  if (layout.sizes.head_size <= 64) {
    return flash::Forward<1>(layout, data, stream);
  }
  if (layout.sizes.head_size <= 128) {
    return flash::Forward<2>(layout, data, stream);
  }
  return flash::Forward<4>(layout, data, stream);
}

}  // namespace zs::gpu
