// What the own attention kernels share: tiles of matrix rows in shared memory
// and products with them.
#ifndef ENGINE_CUDA_ATTENTION_FLASH_TILE_CUH_
#define ENGINE_CUDA_ATTENTION_FLASH_TILE_CUH_

#include <cuda_bf16.h>

#include <string>

#include "base/status.h"
#include "engine/cuda/attention/flash_attention.h"
#include "engine/cuda/check.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu::flash {

// A block of 4 warps holds 16 rows (queries, or keys), 4 a warp, and walks
// over tiles of 32 others (keys, or queries), one a lane.
constexpr int kWarps = 4;
constexpr int kRows = 4;  // of a warp
constexpr int kBlockRows = kWarps * kRows;
constexpr int kTile = 32;
constexpr int kPad = 8;  // elements; keeps the lanes' rows in different banks
constexpr float kMinusInfinity = -__builtin_huge_valf();

// Matrix rows of one head in shared memory as bf16, kPairs x 64 elements each
// (zeros past the head's size), PAD elements apart.
template <int kPairs>
struct Shared {
  static constexpr int kWidth = kPairs * 64;
  static constexpr int kPitch = kWidth + kPad;
  __nv_bfloat16 tile_a[kTile][kPitch];
  __nv_bfloat16 tile_b[kTile][kPitch];
  __nv_bfloat16 rows_a[kBlockRows][kPitch];
  __nv_bfloat16 rows_b[kBlockRows][kPitch];
};

// One head of a matrix: its row t begins at data + t x stride.
struct HeadView {
  const __nv_bfloat16* data;
  int64_t stride;
};

__device__ inline HeadView ViewOf(const Bf16* data, int64_t stride,
                                  int64_t token, int64_t column) {
  return {
      reinterpret_cast<const __nv_bfloat16*>(data) + token * stride + column,
      stride};
}

// Rows [first, first + kCount) of VIEW, zeros from row END on.
template <int kCount, int kPitch>
__device__ void Fill(__nv_bfloat16 (&to)[kCount][kPitch], HeadView view,
                     int64_t first, int64_t end, int64_t head_size) {
  constexpr int kWidth = kPitch - kPad;
  for (int i = threadIdx.x; i < kCount * kWidth; i += kWarps * 32) {
    const int row = i / kWidth;
    const int column = i % kWidth;
    const bool inside = first + row < end && column < head_size;
    to[row][column] = inside ? view.data[(first + row) * view.stride + column]
                             : __float2bfloat16_rn(0.0f);
  }
}

// dots[r] = rows[r] . this lane's row of the tile.
template <int kPitch>
__device__ void Dots(const __nv_bfloat16 (*rows)[kPitch],
                     const __nv_bfloat16 (&mine)[kPitch],
                     float (&dots)[kRows]) {
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    dots[r] = 0.0f;
  }
#pragma unroll 4
  for (int i = 0; i < kPitch - kPad; i += kVec) {
    float a[kVec], b[kVec];
    Unpack(*reinterpret_cast<const uint4*>(&mine[i]), a);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      Unpack(*reinterpret_cast<const uint4*>(&rows[r][i]), b);
#pragma unroll
      for (int j = 0; j < kVec; ++j) {
        dots[r] += a[j] * b[j];
      }
    }
  }
}

// sums[r] += sum over lanes of weight[r] x (the lane's row of the tile). This
// lane holds columns 64 p + 2 lane and the next of each sum.
template <int kPairs, int kPitch>
__device__ void AddWeighted(const float (&weight)[kRows],
                            const __nv_bfloat16 (&tile)[kTile][kPitch],
                            float2 (&sums)[kRows][kPairs]) {
  const int lane = threadIdx.x % 32;
#pragma unroll 4
  for (int j = 0; j < kTile; ++j) {
    float2 x[kPairs];
#pragma unroll
    for (int p = 0; p < kPairs; ++p) {
      x[p] = Unpack(
          *reinterpret_cast<const uint32_t*>(&tile[j][64 * p + 2 * lane]));
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float w = __shfl_sync(0xffffffffu, weight[r], j);
#pragma unroll
      for (int p = 0; p < kPairs; ++p) {
        sums[r][p].x += w * x[p].x;
        sums[r][p].y += w * x[p].y;
      }
    }
  }
}

// Writes scale x sum to one row.
template <int kPairs>
__device__ void StoreSum(const float2 (&sum)[kPairs], float scale, Bf16* out,
                         int64_t head_size) {
  auto* row = reinterpret_cast<__nv_bfloat16*>(out);
#pragma unroll
  for (int p = 0; p < kPairs; ++p) {
    const int column = 64 * p + 2 * (threadIdx.x % 32);
    if (column < head_size) {
      row[column] = __float2bfloat16_rn(scale * sum[p].x);
    }
    if (column + 1 < head_size) {
      row[column + 1] = __float2bfloat16_rn(scale * sum[p].y);
    }
  }
}

inline dim3 Grid(const AttentionSizes& s, int64_t heads) {
  return dim3(static_cast<unsigned>(CeilDiv(s.seq_len, kBlockRows)),
              static_cast<unsigned>(heads), static_cast<unsigned>(s.batch));
}

inline Status CheckSizes(const AttentionSizes& s) {
  if (s.head_size < 1 || s.head_size > kMaxFlashHeadSize) {
    return InvalidArgumentError(
        "attention: head_size " + std::to_string(s.head_size) +
        " is not allowed without cuDNN; allowed: 1 to " +
        std::to_string(kMaxFlashHeadSize));
  }
  if (s.kv_heads < 1 || s.heads % s.kv_heads != 0) {
    return InvalidArgumentError(
        "attention: kv_heads " + std::to_string(s.kv_heads) +
        " does not divide heads " + std::to_string(s.heads));
  }
  return OkStatus();
}

template <typename Kernel>
Status AllowShared(Kernel kernel, size_t bytes) {
  return ToStatus(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(bytes)),
      "shared memory of attention");
}

}  // namespace zs::gpu::flash

#endif  // ENGINE_CUDA_ATTENTION_FLASH_TILE_CUH_
