// What the kernels share: 16-byte accesses, sums over a warp or a block, and
// the status of a launch.
#ifndef ENGINE_CUDA_KERNELS_VEC_CUH_
#define ENGINE_CUDA_KERNELS_VEC_CUH_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "engine/cuda/kernels/types.h"

namespace zs::gpu {

constexpr int kVec = 8;  // bf16 elements of a 16-byte access

// Blocks of kernels that leave one partial result each: two for each
// multiprocessor of an H200. A constant, so that sums do not depend on the
// device.
constexpr int kPartialBlocks = 264;

// The pointer a kernel computes with.
__host__ __device__ inline const __nv_bfloat16* Raw(const Bf16* p) {
  return reinterpret_cast<const __nv_bfloat16*>(p);
}
__host__ __device__ inline __nv_bfloat16* Raw(Bf16* p) {
  return reinterpret_cast<__nv_bfloat16*>(p);
}

inline bool IsAligned(const void* p) {
  return reinterpret_cast<uintptr_t>(p) % 16 == 0;
}

__host__ __device__ inline int64_t CeilDiv(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

__device__ inline float2 Unpack(uint32_t pair) {
  return make_float2(__uint_as_float(pair << 16),
                     __uint_as_float(pair & 0xffff0000u));
}

__device__ inline uint32_t PackPair(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const uint32_t*>(&pair);
}

__device__ inline void Unpack(const uint4& raw, float (&x)[kVec]) {
  const uint32_t words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 pair = Unpack(words[i]);
    x[2 * i] = pair.x;
    x[2 * i + 1] = pair.y;
  }
}

__device__ inline uint4 Pack(const float (&x)[kVec]) {
  return make_uint4(PackPair(x[0], x[1]), PackPair(x[2], x[3]),
                    PackPair(x[4], x[5]), PackPair(x[6], x[7]));
}

// Between two uses of RAW: has the compiler unpack it again for the second one
// rather than hold its floats, which take twice the registers.
__device__ inline void Repack(uint4& raw) {
  asm volatile("" : "+r"(raw.x), "+r"(raw.y), "+r"(raw.z), "+r"(raw.w));
}

// Elements [column, column + 8) of a row of WIDTH elements; zeros past its
// end. kAligned: WIDTH is a multiple of 8 and the row starts at a multiple of
// 16 bytes.
template <bool kAligned>
__device__ inline uint4 LoadRow(const __nv_bfloat16* row, int64_t column,
                                int64_t width) {
  if (column >= width) {
    return make_uint4(0, 0, 0, 0);
  }
  if constexpr (kAligned) {
    return *reinterpret_cast<const uint4*>(row + column);
  } else {
    float x[kVec];
#pragma unroll
    for (int i = 0; i < kVec; ++i) {
      x[i] = column + i < width ? __bfloat162float(row[column + i]) : 0.0f;
    }
    return Pack(x);
  }
}

// The inverse; what lies past the row's end is not written.
template <bool kAligned>
__device__ inline void StoreRow(__nv_bfloat16* row, int64_t column,
                                int64_t width, const uint4& raw) {
  if (column >= width) {
    return;
  }
  if constexpr (kAligned) {
    *reinterpret_cast<uint4*>(row + column) = raw;
  } else {
    float x[kVec];
    Unpack(raw, x);
#pragma unroll
    for (int i = 0; i < kVec; ++i) {
      if (column + i < width) {
        row[column + i] = __float2bfloat16_rn(x[i]);
      }
    }
  }
}

// The sum over kLanes neighbouring lanes (a power of two up to 32), on each.
template <int kLanes, typename T>
__device__ inline T LaneSum(T x) {
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2) {
    x += __shfl_xor_sync(0xffffffffu, x, offset);
  }
  return x;
}

__device__ inline float WarpMax(float x) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, offset));
  }
  return x;
}

// Waits for COUNT threads (a multiple of 32) that use barrier ID (1..15).
__device__ inline void GroupBarrier(int id, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}

// The sum over the kThreads neighbouring threads that share a row, on each.
// SCRATCH: kThreads / 32 floats of shared memory of this group alone.
template <int kThreads>
__device__ inline float GroupSum(float x, float* scratch, int group) {
  x = LaneSum<32>(x);
  if constexpr (kThreads == 32) {
    return x;
  } else {
    constexpr int kWarps = kThreads / 32;
    GroupBarrier(1 + group, kThreads);  // scratch may still be read
    if (threadIdx.x % 32 == 0) {
      scratch[threadIdx.x % kThreads / 32] = x;
    }
    GroupBarrier(1 + group, kThreads);
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < kWarps; ++i) {
      sum += scratch[i];
    }
    return sum;
  }
}

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_KERNELS_VEC_CUH_
