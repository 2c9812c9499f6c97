#include "engine/cuda/check.h"
#include "engine/cuda/kernels/column_sum.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {
namespace {

constexpr int kRowLanes = 8;  // threads that share a column
constexpr int kSplits = 64;   // parts the rows are cut into

template <typename T>
__device__ float ToFloat(T x) {
  return static_cast<float>(x);
}

template <typename T>
__device__ void AddTo(T* out, float sum, bool accumulate) {
  *out = static_cast<T>(accumulate ? ToFloat(*out) + sum : sum);
}

// 32 columns a block, 8 threads a column.
template <typename T>
__global__ void AddPartialSumsKernel(PartialSums args) {
  __shared__ float sums[kRowLanes][32];
  const int64_t column = int64_t{blockIdx.x} * 32 + threadIdx.x;
  float sum = 0.0f;
  if (column < args.columns) {
#pragma unroll 8
    for (int64_t row = threadIdx.y; row < args.rows; row += kRowLanes) {
      sum += args.partials[row * args.pitch + column];
    }
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && column < args.columns) {
    float total = 0.0f;
#pragma unroll
    for (int i = 0; i < kRowLanes; ++i) {
      total += sums[i][threadIdx.x];
    }
    AddTo(static_cast<T*>(args.out.data) + column, total, args.out.accumulate);
  }
}

// Block (x, y) sums rows y, y + kSplits, ... of columns [256 x, 256 x + 256).
template <bool kAligned>
__global__ void BiasGradKernel(BiasGrad args) {
  __shared__ float sums[kRowLanes][32 * kVec + 8];
  const int64_t column = (int64_t{blockIdx.x} * 32 + threadIdx.x) * kVec;
  const int64_t step = int64_t{gridDim.y} * kRowLanes;
  const auto* dy = reinterpret_cast<const __nv_bfloat16*>(args.dy);
  float sum[kVec] = {};
#pragma unroll 4
  for (int64_t row = int64_t{blockIdx.y} * kRowLanes + threadIdx.y;
       row < args.rows; row += step) {
    float x[kVec];
    Unpack(LoadRow<kAligned>(dy + row * args.columns, column, args.columns), x);
#pragma unroll
    for (int i = 0; i < kVec; ++i) {
      sum[i] += x[i];
    }
  }
#pragma unroll
  for (int i = 0; i < kVec; ++i) {
    sums[threadIdx.y][threadIdx.x * kVec + i] = sum[i];
  }
  __syncthreads();
  const int local = threadIdx.y * 32 + threadIdx.x;  // one column a thread
  const int64_t mine = int64_t{blockIdx.x} * 32 * kVec + local;
  if (mine < args.columns) {
    float total = 0.0f;
#pragma unroll
    for (int i = 0; i < kRowLanes; ++i) {
      total += sums[i][local];
    }
    args.scratch[blockIdx.y * args.columns + mine] = total;
  }
}

}  // namespace

Status LaunchAddPartialSums(const PartialSums& args, cudaStream_t stream) {
  const dim3 block(32, kRowLanes);
  const auto grid = static_cast<unsigned>(CeilDiv(args.columns, 32));
  if (args.out.type == DType::kF32) {
    AddPartialSumsKernel<float><<<grid, block, 0, stream>>>(args);
  } else {
    AddPartialSumsKernel<__nv_bfloat16><<<grid, block, 0, stream>>>(args);
  }
  return LaunchStatus("add partial sums");
}

Status LaunchBiasGrad(const BiasGrad& args, cudaStream_t stream) {
  const dim3 block(32, kRowLanes);
  const dim3 grid(static_cast<unsigned>(CeilDiv(args.columns, 32 * kVec)),
                  kSplits);
  if (args.columns % kVec == 0 && IsAligned(args.dy)) {
    BiasGradKernel<true><<<grid, block, 0, stream>>>(args);
  } else {
    BiasGradKernel<false><<<grid, block, 0, stream>>>(args);
  }
  RETURN_IF_ERROR(LaunchStatus("bias gradient"));
  return LaunchAddPartialSums({.partials = args.scratch,
                               .rows = kSplits,
                               .columns = args.columns,
                               .pitch = args.columns,
                               .out = args.dbias},
                              stream);
}

int64_t BiasGradScratch(int64_t columns) {
  return kSplits * columns;
}

}  // namespace zs::gpu
