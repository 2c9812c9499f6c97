#include <algorithm>

#include "engine/cuda/check.h"
#include "engine/cuda/kernels/cross_entropy.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {
namespace {

constexpr int kBlock = 1024;
constexpr int kWarps = kBlock / 32;
// Shared memory left for static variables.
constexpr int64_t kReserved = 1024;
constexpr float kMinusInfinity = -__builtin_huge_valf();

// The first vectors of a row, kept in shared memory between the two passes, so
// that they are read from memory once. The others come from the L2 cache: with
// one block a multiprocessor, they are still there.
struct Kept {
  uint4* data;
  int64_t size;
};

// The sum of exp(x - max) over elements seen so far, and their maximum.
struct Online {
  float max = kMinusInfinity;
  float sum = 0.0f;

  __device__ void Add(const float (&x)[kVec]) {
    float top = x[0];
#pragma unroll
    for (int i = 1; i < kVec; ++i) {
      top = fmaxf(top, x[i]);
    }
    if (top > max) {
      sum *= __expf(max - top);
      max = top;
    }
    if (max == kMinusInfinity) {
      return;  // nothing but minus infinity yet
    }
#pragma unroll
    for (int i = 0; i < kVec; ++i) {
      sum += __expf(x[i] - max);
    }
  }
};

// A vector of the row; past its end, minus infinity. kAligned: rows start at
// multiples of 16 bytes and have room for a whole last vector.
template <bool kAligned>
__device__ uint4 LoadLogits(const __nv_bfloat16* row, int64_t column,
                            int64_t vocab) {
  if constexpr (kAligned) {
    if (column + kVec <= vocab) {
      return *reinterpret_cast<const uint4*>(row + column);
    }
  }
  float x[kVec];
#pragma unroll
  for (int i = 0; i < kVec; ++i) {
    x[i] =
        column + i < vocab ? __bfloat162float(row[column + i]) : kMinusInfinity;
  }
  return Pack(x);
}

// The maximum and sum of the whole block, on each thread.
__device__ Online BlockOnline(Online mine) {
  __shared__ float maxima[kWarps];
  __shared__ float sums[kWarps];
  const float top = WarpMax(mine.max);
  const float scale = mine.sum == 0.0f ? 0.0f : __expf(mine.max - top);
  const float sum = LaneSum<32>(mine.sum * scale);
  if (threadIdx.x % 32 == 0) {
    maxima[threadIdx.x / 32] = top;
    sums[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  Online all;
  for (int i = 0; i < kWarps; ++i) {
    all.max = fmaxf(all.max, maxima[i]);
  }
  for (int i = 0; i < kWarps; ++i) {
    all.sum += sums[i] == 0.0f ? 0.0f : sums[i] * __expf(maxima[i] - all.max);
  }
  __syncthreads();  // before the next row writes them
  return all;
}

template <bool kAligned>
__device__ Online FirstPass(const __nv_bfloat16* row, int64_t vocab,
                            Kept kept) {
  const int64_t vecs = CeilDiv(vocab, kVec);
  Online online;
#pragma unroll 4
  for (int64_t v = threadIdx.x; v < vecs; v += kBlock) {
    const uint4 raw = LoadLogits<kAligned>(row, v * kVec, vocab);
    if (v < kept.size) {
      kept.data[v] = raw;
    }
    float x[kVec];
    Unpack(raw, x);
    online.Add(x);
  }
  return BlockOnline(online);
}

// x becomes scale x (exp(x - log_sum) - [it is the target's]).
template <bool kAligned>
__device__ void SecondPass(const CrossEntropy& args, __nv_bfloat16* row,
                           Kept kept, float log_sum, int64_t target) {
  const int64_t vecs = CeilDiv(args.vocab, kVec);
#pragma unroll 4
  for (int64_t v = threadIdx.x; v < vecs; v += kBlock) {
    float x[kVec];
    Unpack(v < kept.size ? kept.data[v]
                         : LoadLogits<kAligned>(row, v * kVec, args.vocab),
           x);
#pragma unroll
    for (int i = 0; i < kVec; ++i) {
      const float one_hot = v * kVec + i == target ? 1.0f : 0.0f;
      x[i] = args.scale * (__expf(x[i] - log_sum) - one_hot);
    }
    StoreRow<kAligned>(row, v * kVec, args.vocab, Pack(x));
  }
}

template <bool kAligned>
__device__ void ClearRow(__nv_bfloat16* row, int64_t vocab) {
  const int64_t vecs = CeilDiv(vocab, kVec);
  for (int64_t v = threadIdx.x; v < vecs; v += kBlock) {
    StoreRow<kAligned>(row, v * kVec, vocab, make_uint4(0, 0, 0, 0));
  }
}

template <bool kAligned>
__global__ void __launch_bounds__(kBlock, 1)
    CrossEntropyKernel(CrossEntropy args, int64_t kept_size) {
  extern __shared__ uint4 shared[];
  const Kept kept{shared, kept_size};
  for (int64_t r = blockIdx.x; r < args.rows; r += gridDim.x) {
    auto* row = reinterpret_cast<__nv_bfloat16*>(args.logits) + r * args.stride;
    const int64_t target = args.targets[r];
    if (target < 0 || target >= args.vocab) {
      if (threadIdx.x == 0) {
        args.losses[r] = 0.0f;
      }
      if (args.scale != 0.0f) {
        ClearRow<kAligned>(row, args.vocab);
      }
      continue;
    }
    const float chosen = __bfloat162float(row[target]);
    const Online all = FirstPass<kAligned>(row, args.vocab, kept);
    const float log_sum = all.max + logf(all.sum);
    if (threadIdx.x == 0) {
      args.losses[r] = log_sum - chosen;
    }
    if (args.scale != 0.0f) {
      SecondPass<kAligned>(args, row, kept, log_sum, target);
    }
  }
}

template <bool kAligned>
Status Launch(const CrossEntropy& args, cudaStream_t stream) {
  int device = 0;
  int room = 0;
  ZS_RETURN_IF_CUDA_ERROR(cudaGetDevice(&device));
  ZS_RETURN_IF_CUDA_ERROR(cudaDeviceGetAttribute(
      &room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const int64_t kept = std::min<int64_t>(CeilDiv(args.vocab, kVec),
                                         (room - kReserved) / sizeof(uint4));
  const auto shared = static_cast<int>(kept * sizeof(uint4));
  ZS_RETURN_IF_CUDA_ERROR(cudaFuncSetAttribute(
      CrossEntropyKernel<kAligned>, cudaFuncAttributeMaxDynamicSharedMemorySize,
      shared));
  const auto grid =
      static_cast<unsigned>(std::min<int64_t>(args.rows, 1 << 20));
  CrossEntropyKernel<kAligned><<<grid, kBlock, shared, stream>>>(args, kept);
  return LaunchStatus("cross-entropy");
}

}  // namespace

Status LaunchCrossEntropy(const CrossEntropy& args, cudaStream_t stream) {
  if (args.rows == 0) {
    return OkStatus();
  }
  const bool aligned = args.stride % kVec == 0 && IsAligned(args.logits) &&
                       CeilDiv(args.vocab, kVec) * kVec <= args.stride;
  return aligned ? Launch<true>(args, stream) : Launch<false>(args, stream);
}

}  // namespace zs::gpu
