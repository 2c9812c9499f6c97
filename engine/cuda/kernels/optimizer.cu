#include <algorithm>
#include <cmath>

#include "engine/cuda/check.h"
#include "engine/cuda/kernels/optimizer.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {
namespace {

constexpr int kBlock = 256;
constexpr int kSumBlock = 1024;
static_assert(kSumScratch == kPartialBlocks);

// What AdamW's formula needs of the step, computed once in double precision.
struct Rates {
  float beta1, one_minus_beta1;
  float beta2, one_minus_beta2;
  float keep;           // 1 - lr x weight_decay
  float step_size;      // lr / (1 - beta1^step)
  float inverse_bias2;  // 1 / sqrt(1 - beta2^step)
  float eps;
};

Rates RatesOf(const AdamW& args) {
  const double bias1 = 1.0 - std::pow(args.beta1, args.step);
  const double bias2 = 1.0 - std::pow(args.beta2, args.step);
  return {.beta1 = static_cast<float>(args.beta1),
          .one_minus_beta1 = static_cast<float>(1.0 - args.beta1),
          .beta2 = static_cast<float>(args.beta2),
          .one_minus_beta2 = static_cast<float>(1.0 - args.beta2),
          .keep = static_cast<float>(1.0 - args.lr * args.weight_decay),
          .step_size = static_cast<float>(args.lr / bias1),
          .inverse_bias2 = static_cast<float>(1.0 / std::sqrt(bias2)),
          .eps = static_cast<float>(args.eps)};
}

__device__ void Update(const Rates& r, float grad, float& p, float& m,
                       float& v) {
  m = r.beta1 * m + r.one_minus_beta1 * grad;
  v = r.beta2 * v + r.one_minus_beta2 * grad * grad;
  p = r.keep * p - r.step_size * m / (sqrtf(v) * r.inverse_bias2 + r.eps);
}

__device__ float4 LoadGrad4(const AdamW& args, int64_t i) {
  if (args.grad_type == DType::kF32) {
    return *reinterpret_cast<const float4*>(
        static_cast<const float*>(args.grad) + i);
  }
  const uint2 raw = *reinterpret_cast<const uint2*>(
      static_cast<const __nv_bfloat16*>(args.grad) + i);
  const float2 low = Unpack(raw.x);
  const float2 high = Unpack(raw.y);
  return make_float4(low.x, low.y, high.x, high.y);
}

__device__ float LoadGrad(const AdamW& args, int64_t i) {
  return args.grad_type == DType::kF32
             ? static_cast<const float*>(args.grad)[i]
             : __bfloat162float(
                   static_cast<const __nv_bfloat16*>(args.grad)[i]);
}

__device__ void Update4(const AdamW& args, const Rates& rates, float scale,
                        int64_t i) {
  const float4 g = LoadGrad4(args, i);
  float4 p = *reinterpret_cast<float4*>(args.master + i);
  float4 m = *reinterpret_cast<float4*>(args.m + i);
  float4 v = *reinterpret_cast<float4*>(args.v + i);
  Update(rates, scale * g.x, p.x, m.x, v.x);
  Update(rates, scale * g.y, p.y, m.y, v.y);
  Update(rates, scale * g.z, p.z, m.z, v.z);
  Update(rates, scale * g.w, p.w, m.w, v.w);
  *reinterpret_cast<float4*>(args.master + i) = p;
  *reinterpret_cast<float4*>(args.m + i) = m;
  *reinterpret_cast<float4*>(args.v + i) = v;
  if (args.parameters != nullptr) {
    *reinterpret_cast<uint2*>(args.parameters + i) =
        make_uint2(PackPair(p.x, p.y), PackPair(p.z, p.w));
  }
}

__device__ void Update1(const AdamW& args, const Rates& rates, float scale,
                        int64_t i) {
  Update(rates, scale * LoadGrad(args, i), args.master[i], args.m[i],
         args.v[i]);
  if (args.parameters != nullptr) {
    reinterpret_cast<__nv_bfloat16*>(args.parameters)[i] =
        __float2bfloat16_rn(args.master[i]);
  }
}

// Four elements a thread and turn; the first VECTORS x 4 elements, then the
// rest one by one.
__global__ void __launch_bounds__(kBlock)
    AdamWKernel(AdamW args, Rates rates, int64_t vectors) {
  const float scale =
      args.scale == nullptr ? 1.0f : static_cast<float>(*args.scale);
  if (!isfinite(scale)) {
    return;
  }
  const int64_t first = int64_t{blockIdx.x} * kBlock + threadIdx.x;
  const int64_t step = int64_t{gridDim.x} * kBlock;
  for (int64_t i = first; i < vectors; i += step) {
    Update4(args, rates, scale, 4 * i);
  }
  for (int64_t i = 4 * vectors + first; i < args.size; i += step) {
    Update1(args, rates, scale, i);
  }
}

// The sum over the block, right on thread 0.
__device__ double BlockSum(double x) {
  __shared__ double sums[kSumBlock / 32];
  x = LaneSum<32>(x);
  __syncthreads();  // sums may still be read
  if (threadIdx.x % 32 == 0) {
    sums[threadIdx.x / 32] = x;
  }
  __syncthreads();
  double total = 0.0;
  for (int i = 0; i < kSumBlock / 32; ++i) {
    total += sums[i];
  }
  return total;
}

__device__ double Term(const Sum& args, float x) {
  return args.squares ? static_cast<double>(x) * x : static_cast<double>(x);
}

__global__ void __launch_bounds__(kSumBlock)
    SumF32Kernel(Sum args, int64_t vectors) {
  const auto* x = static_cast<const float*>(args.x);
  const int64_t first = int64_t{blockIdx.x} * kSumBlock + threadIdx.x;
  const int64_t step = int64_t{gridDim.x} * kSumBlock;
  double sum = 0.0;
#pragma unroll 4
  for (int64_t i = first; i < vectors; i += step) {
    const float4 a = reinterpret_cast<const float4*>(x)[i];
    sum +=
        Term(args, a.x) + Term(args, a.y) + Term(args, a.z) + Term(args, a.w);
  }
  for (int64_t i = 4 * vectors + first; i < args.size; i += step) {
    sum += Term(args, x[i]);
  }
  sum = BlockSum(sum);
  if (threadIdx.x == 0) {
    args.scratch[blockIdx.x] = sum;
  }
}

__global__ void __launch_bounds__(kSumBlock)
    SumBf16Kernel(Sum args, int64_t vectors) {
  const auto* x = static_cast<const __nv_bfloat16*>(args.x);
  const int64_t first = int64_t{blockIdx.x} * kSumBlock + threadIdx.x;
  const int64_t step = int64_t{gridDim.x} * kSumBlock;
  double sum = 0.0;
#pragma unroll 4
  for (int64_t i = first; i < vectors; i += step) {
    float a[kVec];
    Unpack(reinterpret_cast<const uint4*>(x)[i], a);
#pragma unroll
    for (int j = 0; j < kVec; ++j) {
      sum += Term(args, a[j]);
    }
  }
  for (int64_t i = kVec * vectors + first; i < args.size; i += step) {
    sum += Term(args, __bfloat162float(x[i]));
  }
  sum = BlockSum(sum);
  if (threadIdx.x == 0) {
    args.scratch[blockIdx.x] = sum;
  }
}

__global__ void __launch_bounds__(kSumBlock) FinishSumKernel(Sum args) {
  double sum = 0.0;
  for (int i = threadIdx.x; i < kPartialBlocks; i += kSumBlock) {
    sum += args.scratch[i];
  }
  sum = BlockSum(sum);
  if (threadIdx.x == 0) {
    sum *= args.scale;
    *args.out = args.add ? *args.out + sum : sum;
  }
}

__global__ void __launch_bounds__(kSumBlock) SumStepKernel(SumParts args) {
  double loss = 0.0;
  double squares = 0.0;
  const int64_t count = args.ranks * args.each;
  for (int64_t i = threadIdx.x; i < count; i += kSumBlock) {
    (i % args.each == 0 ? loss : squares) += args.parts[i];
  }
  loss = BlockSum(loss);
  squares = BlockSum(squares);
  if (threadIdx.x != 0) {
    return;
  }
  const double norm = sqrt(squares);
  double clip = 1.0;
  if (!isfinite(loss) || !isfinite(norm)) {
    clip = nan("");
  } else if (args.max_norm > 0) {
    clip = fmin(1.0, args.max_norm / (norm + 1e-6));
  }
  *args.out = {.loss = loss, .grad_norm = norm, .clip = clip};
}

}  // namespace

Status LaunchAdamW(const AdamW& args, cudaStream_t stream) {
  if (args.size == 0) {
    return OkStatus();
  }
  const bool aligned = IsAligned(args.master) && IsAligned(args.m) &&
                       IsAligned(args.v) && IsAligned(args.grad) &&
                       reinterpret_cast<uintptr_t>(args.parameters) % 8 == 0;
  const int64_t vectors = aligned ? args.size / 4 : 0;
  const int64_t work = aligned ? std::max<int64_t>(vectors, 4) : args.size;
  const auto grid = static_cast<unsigned>(
      std::min<int64_t>(CeilDiv(work, kBlock), int64_t{1} << 20));
  AdamWKernel<<<grid, kBlock, 0, stream>>>(args, RatesOf(args), vectors);
  return LaunchStatus("adamw");
}

Status LaunchSum(const Sum& args, cudaStream_t stream) {
  const int width = args.type == DType::kF32 ? 4 : kVec;
  const int64_t vectors = IsAligned(args.x) ? args.size / width : 0;
  if (args.type == DType::kF32) {
    SumF32Kernel<<<kPartialBlocks, kSumBlock, 0, stream>>>(args, vectors);
  } else {
    SumBf16Kernel<<<kPartialBlocks, kSumBlock, 0, stream>>>(args, vectors);
  }
  RETURN_IF_ERROR(LaunchStatus("sum"));
  FinishSumKernel<<<1, kSumBlock, 0, stream>>>(args);
  return LaunchStatus("finish sum");
}

Status LaunchSumStep(const SumParts& args, cudaStream_t stream) {
  SumStepKernel<<<1, kSumBlock, 0, stream>>>(args);
  return LaunchStatus("sum of a step");
}

}  // namespace zs::gpu
