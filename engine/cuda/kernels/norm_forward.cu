#include <algorithm>
#include <string>

#include "engine/cuda/check.h"
#include "engine/cuda/kernels/norm.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {
namespace {

// A row held by kThreads threads, kVecs x 8 elements each; zeros past its end.
template <int kVecs, int kThreads, bool kAligned>
struct Row {
  uint4 raw[kVecs];

  __device__ static int64_t Column(int v) {
    return int64_t{v * kThreads + static_cast<int>(threadIdx.x) % kThreads} *
           kVec;
  }
  __device__ void Load(const Bf16* row, int64_t width) {
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      raw[v] = LoadRow<kAligned>(reinterpret_cast<const __nv_bfloat16*>(row),
                                 Column(v), width);
    }
  }
  __device__ void Store(Bf16* row, int64_t width) const {
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      StoreRow<kAligned>(reinterpret_cast<__nv_bfloat16*>(row), Column(v),
                         width, raw[v]);
    }
  }
  __device__ void Add(const Row& other) {
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      float a[kVec], b[kVec];
      Unpack(raw[v], a);
      Unpack(other.raw[v], b);
#pragma unroll
      for (int i = 0; i < kVec; ++i) {
        a[i] += b[i];
      }
      raw[v] = Pack(a);
    }
  }
  // This thread's part of the sum of the elements.
  __device__ float Sum() {
    float sum = 0.0f;
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      float a[kVec];
      Unpack(raw[v], a);
#pragma unroll
      for (int i = 0; i < kVec; ++i) {
        sum += a[i];
      }
      Repack(raw[v]);
    }
    return sum;
  }
  // This thread's part of the sum of (element - mean)^2.
  __device__ float Squares(float mean, int64_t width) {
    float sum = 0.0f;
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      float a[kVec];
      Unpack(raw[v], a);
#pragma unroll
      for (int i = 0; i < kVec; ++i) {
        const float d = Column(v) + i < width ? a[i] - mean : 0.0f;
        sum += d * d;
      }
      Repack(raw[v]);
    }
    return sum;
  }
  // (element - mean) x rstd x gain + bias in place of the elements.
  __device__ void Scale(const NormForward& args, float mean, float rstd) {
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      float a[kVec], g[kVec], b[kVec] = {};
      Unpack(raw[v], a);
      Unpack(Parameter(args.gain, v, args.width), g);
      if (args.bias != nullptr) {
        Unpack(Parameter(args.bias, v, args.width), b);
      }
#pragma unroll
      for (int i = 0; i < kVec; ++i) {
        a[i] = (a[i] - mean) * rstd * g[i] + b[i];
      }
      raw[v] = Pack(a);
    }
  }
  __device__ static uint4 Parameter(const Bf16* p, int v, int64_t width) {
    return LoadRow<kAligned>(reinterpret_cast<const __nv_bfloat16*>(p),
                             Column(v), width);
  }
};

// The groups of all blocks take turns; a group loads its next row while it
// computes the one before.
template <int kVecs, int kThreads, bool kAligned, bool kLayer>
__global__ void __launch_bounds__(512) NormForwardKernel(NormForward args) {
  __shared__ float scratch[16];
  const int group = threadIdx.x / kThreads;
  const int groups = blockDim.x / kThreads;
  float* const mine = scratch + group * (kThreads / 32);
  const int64_t width = args.width;
  const int64_t step = int64_t{gridDim.x} * groups;
  int64_t row = int64_t{blockIdx.x} * groups + group;
  Row<kVecs, kThreads, kAligned> next;
  if (row < args.rows) {
    next.Load(args.x + row * width, width);
  }
  for (; row < args.rows; row += step) {
    Row<kVecs, kThreads, kAligned> x = next;
    if (row + step < args.rows) {
      next.Load(args.x + (row + step) * width, width);
    }
    if (args.residual != nullptr) {
      Row<kVecs, kThreads, kAligned> residual;
      residual.Load(args.residual + row * width, width);
      x.Add(residual);
    }
    if (args.sum != nullptr) {
      x.Store(args.sum + row * width, width);
    }
    float mean = 0.0f;
    if constexpr (kLayer) {
      mean = GroupSum<kThreads>(x.Sum(), mine, group) / width;
    }
    const float squares =
        GroupSum<kThreads>(x.Squares(mean, width), mine, group);
    const float rstd = rsqrtf(squares / width + args.eps);
    if (threadIdx.x % kThreads == 0) {
      reinterpret_cast<float2*>(args.stats)[row] = make_float2(mean, rstd);
    }
    x.Scale(args, mean, rstd);
    x.Store(args.y + row * width, width);
  }
}

template <int kVecs, int kThreads, bool kAligned>
Status Launch(const NormForward& args, cudaStream_t stream) {
  constexpr int kBlock = kThreads > 256 ? kThreads : kVecs > 3 ? 128 : 256;
  const auto grid = static_cast<unsigned>(std::min<int64_t>(
      CeilDiv(args.rows, kBlock / kThreads), 2 * kPartialBlocks));
  if (args.kind == NormKind::kLayerNorm) {
    NormForwardKernel<kVecs, kThreads, kAligned, true>
        <<<grid, kBlock, 0, stream>>>(args);
  } else {
    NormForwardKernel<kVecs, kThreads, kAligned, false>
        <<<grid, kBlock, 0, stream>>>(args);
  }
  return LaunchStatus("norm forward");
}

Status LaunchAligned(const NormForward& args, cudaStream_t stream) {
  if (args.width <= 256) {
    return Launch<1, 32, true>(args, stream);
  }
  if (args.width <= 512) {
    return Launch<2, 32, true>(args, stream);
  }
  if (args.width <= 768) {
    return Launch<3, 32, true>(args, stream);
  }
  if (args.width <= 1024) {
    return Launch<4, 32, true>(args, stream);
  }
  if (args.width <= 2048) {
    return Launch<4, 64, true>(args, stream);
  }
  if (args.width <= 4096) {
    return Launch<4, 128, true>(args, stream);
  }
  return Launch<4, 512, true>(args, stream);
}

}  // namespace

Status LaunchNormForward(const NormForward& args, cudaStream_t stream) {
  if (args.width < 1 || args.width > kMaxNormWidth) {
    return InvalidArgumentError(
        "norm forward: width " + std::to_string(args.width) +
        " is not allowed; allowed: 1 to " + std::to_string(kMaxNormWidth));
  }
  if (args.rows == 0) {
    return OkStatus();
  }
  const bool aligned = args.width % kVec == 0 && IsAligned(args.x) &&
                       IsAligned(args.residual) && IsAligned(args.gain) &&
                       IsAligned(args.bias) && IsAligned(args.sum) &&
                       IsAligned(args.y);
  if (aligned) {
    return LaunchAligned(args, stream);
  }
  if (args.width <= 1024) {
    return Launch<4, 32, false>(args, stream);
  }
  if (args.width <= 4096) {
    return Launch<4, 128, false>(args, stream);
  }
  return Launch<4, 512, false>(args, stream);
}

}  // namespace zs::gpu
