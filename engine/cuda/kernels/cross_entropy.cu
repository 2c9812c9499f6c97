#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <algorithm>

#include "engine/cuda/check.h"
#include "engine/cuda/kernels/cross_entropy.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {
namespace {

constexpr int kBlock = 1024;
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

// SIZE logits (at most 8 count), then minus infinity.
__device__ uint4 LoadTail(const __nv_bfloat16* from, int size) {
  float x[kVec];
#pragma unroll
  for (int i = 0; i < kVec; ++i) {
    x[i] = i < size ? __bfloat162float(from[i]) : kMinusInfinity;
  }
  return Pack(x);
}

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
  return LoadTail(row + column, static_cast<int>(vocab - column));
}

// The maximum and sum of the whole block, on each thread.
template <int kWarps>
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
  return BlockOnline<kBlock / 32>(online);
}

// Logits become scale x (exp(x - log_sum) - [it is number TARGET of them]):
// zero past the vocabulary, where x is minus infinity.
__device__ uint4 GradientOf(const uint4& logits, float scale, float log_sum,
                            int target) {
  float x[kVec];
  Unpack(logits, x);
#pragma unroll
  for (int i = 0; i < kVec; ++i) {
    const float one_hot = i == target ? 1.0f : 0.0f;
    x[i] = scale * (__expf(x[i] - log_sum) - one_hot);
  }
  return Pack(x);
}

template <bool kAligned>
__device__ void SecondPass(const CrossEntropy& args, __nv_bfloat16* row,
                           Kept kept, float log_sum, int64_t target) {
  const int64_t vecs = CeilDiv(args.stride, kVec);
#pragma unroll 4
  for (int64_t v = threadIdx.x; v < vecs; v += kBlock) {
    const uint4 logits = v < kept.size
                             ? kept.data[v]
                             : LoadLogits<kAligned>(row, v * kVec, args.vocab);
    StoreRow<kAligned>(row, v * kVec, args.stride,
                       GradientOf(logits, args.scale, log_sum,
                                  static_cast<int>(target - v * kVec)));
  }
}

template <bool kAligned>
__device__ void ClearRow(__nv_bfloat16* row, int64_t first, int64_t step,
                         int64_t width) {
  const int64_t vecs = CeilDiv(width, kVec);
  for (int64_t v = first; v < vecs; v += step) {
    StoreRow<kAligned>(row, v * kVec, width, make_uint4(0, 0, 0, 0));
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
        ClearRow<kAligned>(row, threadIdx.x, kBlock, args.stride);
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

// A row in the shared memory of kCluster blocks that lie side by side and tell
// each other their sums: it is read once and written once, and the rows of
// other clusters on the same multiprocessor move meanwhile. Each thread reads
// back what it has put there itself.
constexpr int kPart = 256;  // threads of a block of a cluster

// Vectors FIRST, FIRST + kStep, ... of a row to KEPT, KEPT + kPart, ...
template <int kStep, int kVecs>
__device__ void KeepPart(const __nv_bfloat16* row, int first, int vocab,
                         uint4* kept) {
  constexpr uint32_t kPair = 0xff80ff80;  // minus infinity twice
  const int whole = vocab / kVec;
#pragma unroll
  for (int j = 0; j < kVecs; ++j) {
    const int v = first + j * kStep;
    if (v < whole) {
      __pipeline_memcpy_async(kept + j * kPart, row + v * kVec, sizeof(uint4));
    } else {
      kept[j * kPart] = make_uint4(kPair, kPair, kPair, kPair);
    }
  }
  __pipeline_commit();
  if (vocab % kVec != 0 && first % kStep == whole % kStep) {
    kept[whole / kStep * kPart] = LoadTail(row + whole * kVec, vocab % kVec);
  }
  __pipeline_wait_prior(0);
}

// Scale x softmax of this thread's vectors, of which TARGET's element gets
// scale less.
template <int kStep, int kVecs>
__device__ void StorePart(const CrossEntropy& args, __nv_bfloat16* row,
                          int first, int target, float log_sum,
                          const uint4* kept) {
#pragma unroll
  for (int j = 0; j < kVecs; ++j) {
    const int column = (first + j * kStep) * kVec;
    const uint4 logits = kept[j * kPart];
    StoreRow<true>(row, column, args.stride,
                   GradientOf(logits, args.scale, log_sum, -1));
    if (static_cast<unsigned>(target - column) < kVec) {
      const float chosen =
          __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(
              kept + j * kPart)[target - column]);
      row[target] =
          __float2bfloat16_rn(args.scale * (__expf(chosen - log_sum) - 1.0f));
    }
  }
}

template <int kCluster, int kVecs>
__global__ void __launch_bounds__(kPart, 5)
    CrossEntropyClusterKernel(CrossEntropy args) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint4 shared[];  // kVecs x kPart
  __shared__ float2 part;            // this block's maximum and sum
  const auto cluster = cooperative_groups::this_cluster();
  const int first = static_cast<int>(cluster.block_rank()) * kPart +
                    static_cast<int>(threadIdx.x);
  constexpr int kStep = kCluster * kPart;
  const int64_t r = blockIdx.x / kCluster;
  auto* row = reinterpret_cast<__nv_bfloat16*>(args.logits) + r * args.stride;
  const int64_t target = args.targets[r];
  if (target < 0 || target >= args.vocab) {  // the whole cluster leaves
    if (first == 0) {
      args.losses[r] = 0.0f;
    }
    if (args.scale != 0.0f) {
      ClearRow<true>(row, first, kStep, args.stride);
    }
    return;
  }
  const float chosen = first == 0 ? __bfloat162float(row[target]) : 0.0f;
  uint4* const kept = shared + threadIdx.x;
  KeepPart<kStep, kVecs>(row, first, static_cast<int>(args.vocab), kept);
  Online online;
#pragma unroll
  for (int j = 0; j < kVecs; ++j) {
    float x[kVec];
    Unpack(kept[j * kPart], x);
    online.Add(x);
  }
  const Online mine = BlockOnline<kPart / 32>(online);
  if (threadIdx.x == 0) {
    part = make_float2(mine.max, mine.sum);
  }
  cluster.sync();
  Online all;
#pragma unroll
  for (int i = 0; i < kCluster; ++i) {
    all.max = fmaxf(all.max, cluster.map_shared_rank(&part, i)->x);
  }
#pragma unroll
  for (int i = 0; i < kCluster; ++i) {
    const float2 other = *cluster.map_shared_rank(&part, i);
    all.sum += other.y == 0.0f ? 0.0f : other.y * __expf(other.x - all.max);
  }
  cluster.barrier_arrive();  // PART has been read
  const float log_sum = all.max + logf(all.sum);
  if (first == 0) {
    args.losses[r] = log_sum - chosen;
  }
  if (args.scale != 0.0f) {
    StorePart<kStep, kVecs>(args, row, first, static_cast<int>(target), log_sum,
                            kept);
  }
  cluster.barrier_wait();
#endif
}

template <int kCluster, int kVecs>
Status LaunchCluster(const CrossEntropy& args, cudaStream_t stream) {
  ZS_RETURN_IF_CUDA_ERROR(
      cudaFuncSetAttribute(CrossEntropyClusterKernel<kCluster, kVecs>,
                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                           kVecs * kPart * static_cast<int>(sizeof(uint4))));
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {kCluster, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(args.rows * kCluster));
  config.blockDim = dim3(kPart);
  config.dynamicSmemBytes = kVecs * kPart * sizeof(uint4);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return ToStatus(
      cudaLaunchKernelEx(&config, CrossEntropyClusterKernel<kCluster, kVecs>,
                         args),
      "cross-entropy");
}

Result<bool> HasClusters() {
  int device = 0;
  int major = 0;
  ZS_RETURN_IF_CUDA_ERROR(cudaGetDevice(&device));
  ZS_RETURN_IF_CUDA_ERROR(cudaDeviceGetAttribute(
      &major, cudaDevAttrComputeCapabilityMajor, device));
  return major >= 9;
}

// The least shared memory that holds a row; rows too long for any are read
// twice.
Status LaunchAligned(const CrossEntropy& args, cudaStream_t stream) {
  ASSIGN_OR_RETURN(const bool clusters, HasClusters());
  const int64_t vecs = CeilDiv(args.stride, kVec);
  if (!clusters || vecs > 8 * 16 * kPart) {
    return Launch<true>(args, stream);
  }
  if (vecs <= 4 * 4 * kPart) {
    return LaunchCluster<4, 4>(args, stream);
  }
  if (vecs <= 4 * 7 * kPart) {
    return LaunchCluster<4, 7>(args, stream);
  }
  if (vecs <= 8 * 8 * kPart) {
    return LaunchCluster<8, 8>(args, stream);
  }
  if (vecs <= 8 * 10 * kPart) {
    return LaunchCluster<8, 10>(args, stream);
  }
  return LaunchCluster<8, 16>(args, stream);
}

}  // namespace

Status LaunchCrossEntropy(const CrossEntropy& args, cudaStream_t stream) {
  if (args.rows == 0) {
    return OkStatus();
  }
  const bool aligned = args.stride % kVec == 0 && IsAligned(args.logits);
  return aligned ? LaunchAligned(args, stream) : Launch<false>(args, stream);
}

}  // namespace zs::gpu
