// A head of queries or keys as a few threads hold it: how it is read, rotated
// by its position's angles and written.
#ifndef ENGINE_CUDA_KERNELS_ROPE_HEAD_CUH_
#define ENGINE_CUDA_KERNELS_ROPE_HEAD_CUH_

#include <cstdint>

#include "engine/cuda/kernels/rope.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {

// kLanes threads share a head; each holds 8 elements of its first half and
// the 8 that pair with them.
struct Half {
  float low[kVec];
  float high[kVec];
};

// The same as it lies in memory.
struct RawHalf {
  uint4 low;
  uint4 high;
};

// Cosines and sines of the position, for the elements of a thread.
struct Angles {
  float cos[kVec];
  float sin[kVec];
};

template <bool kAligned>
__device__ RawHalf LoadRaw(const Bf16* head, int i, int half) {
  return {LoadRow<kAligned>(Raw(head), i, half),
          LoadRow<kAligned>(Raw(head) + half, i, half)};
}

__device__ inline Half Widen(const RawHalf& raw) {
  Half x;
  Unpack(raw.low, x.low);
  Unpack(raw.high, x.high);
  return x;
}

template <bool kAligned>
__device__ void StoreHead(Bf16* head, int i, int half, const Half& x) {
  __nv_bfloat16* const p = Raw(head);
  StoreRow<kAligned>(p, i, half, Pack(x.low));
  StoreRow<kAligned>(p + half, i, half, Pack(x.high));
}

// kVec of a table's floats, of which the first COUNT exist.
template <bool kAligned>
__device__ void LoadTable(const float* table, int count, float* values) {
  if constexpr (kAligned) {
#pragma unroll
    for (int j = 0; j < kVec; j += 4) {
      const float4 v = __ldg(reinterpret_cast<const float4*>(table + j));
      values[j] = v.x;
      values[j + 1] = v.y;
      values[j + 2] = v.z;
      values[j + 3] = v.w;
    }
  } else {
#pragma unroll
    for (int j = 0; j < kVec; ++j) {
      values[j] = j < count ? table[j] : 0.0f;
    }
  }
}

// Those of elements I .. I + 7 of ROW's position; SIGN 1 rotates, -1 back.
// Zeros beyond the head's end: its elements there are zeros, too, but take part
// in sums, in which zero times anything else could be no number.
template <bool kAligned>
__device__ Angles LoadAngles(const QkShape& shape, int row, int i, float sign) {
  Angles angles = {};
  const int half = static_cast<int>(shape.head_size / 2);
  if (shape.cos == nullptr || i >= half) {
    return angles;
  }
  const int position = row % static_cast<int>(shape.seq_len);
  const int64_t offset = int64_t{position} * half + i;
  LoadTable<kAligned>(shape.cos + offset, half - i, angles.cos);
  LoadTable<kAligned>(shape.sin + offset, half - i, angles.sin);
#pragma unroll
  for (int j = 0; j < kVec; ++j) {
    angles.sin[j] *= sign;
  }
  return angles;
}

__device__ inline void Rotate(const Angles& angles, Half& x) {
#pragma unroll
  for (int j = 0; j < kVec; ++j) {
    const float low = x.low[j] * angles.cos[j] - x.high[j] * angles.sin[j];
    x.high[j] = x.high[j] * angles.cos[j] + x.low[j] * angles.sin[j];
    x.low[j] = low;
  }
}

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_KERNELS_ROPE_HEAD_CUH_
