#include <string>

#include "engine/cuda/check.h"
#include "engine/cuda/kernels/column_sum.h"
#include "engine/cuda/kernels/norm.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {
namespace {

// With xhat = (x - mean) x rstd and g = dy x gain:
//   dx = rstd x (g - mean(g) - xhat x mean(g x xhat)); RMSNorm lacks mean(g).
//   dgain = sum over rows of dy x xhat, dbias = sum over rows of dy.
template <int kVecs, int kThreads, bool kAligned, bool kLayer>
struct RowBackward {
  uint4 x[kVecs];
  uint4 dy[kVecs];
  float dgain[kVecs][kVec] = {};  // of this thread's columns, over its rows
  float dbias[kLayer ? kVecs : 1][kVec] = {};

  __device__ static int64_t Column(int v) {
    return int64_t{v * kThreads + static_cast<int>(threadIdx.x) % kThreads} *
           kVec;
  }
  __device__ static uint4 LoadAt(const Bf16* row, int v, int64_t width) {
    return LoadRow<kAligned>(reinterpret_cast<const __nv_bfloat16*>(row),
                             Column(v), width);
  }
  __device__ void Load(const NormBackward& args, int64_t row) {
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      x[v] = LoadAt(args.sum + row * args.width, v, args.width);
      dy[v] = LoadAt(args.dy + row * args.width, v, args.width);
    }
  }
  // This thread's part of the sums of g and of g x xhat (where past the end,
  // dy is zero); adds to dgain and dbias.
  __device__ float2 Sums(const NormBackward& args, float2 stats) {
    float2 sums = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      float a[kVec], d[kVec], gain[kVec];
      Unpack(x[v], a);
      Unpack(dy[v], d);
      Unpack(LoadAt(args.gain, v, args.width), gain);
#pragma unroll
      for (int i = 0; i < kVec; ++i) {
        const float xhat = (a[i] - stats.x) * stats.y;
        sums.x += d[i] * gain[i];
        sums.y += d[i] * gain[i] * xhat;
        dgain[v][i] += d[i] * xhat;
        if constexpr (kLayer) {
          dbias[v][i] += d[i];
        }
      }
    }
    return sums;
  }
  // MEANS: of g (zero for RMSNorm) and of g x xhat.
  __device__ void Write(const NormBackward& args, int64_t row, float2 stats,
                        float2 means) {
    Bf16* const out = args.dx + row * args.width;
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      float a[kVec], d[kVec], gain[kVec], r[kVec] = {};
      Unpack(x[v], a);
      Unpack(dy[v], d);
      Unpack(LoadAt(args.gain, v, args.width), gain);
      if (args.dresidual != nullptr) {
        Unpack(LoadAt(args.dresidual + row * args.width, v, args.width), r);
      }
#pragma unroll
      for (int i = 0; i < kVec; ++i) {
        const float xhat = (a[i] - stats.x) * stats.y;
        r[i] += stats.y * (d[i] * gain[i] - means.x - xhat * means.y);
      }
      StoreRow<kAligned>(reinterpret_cast<__nv_bfloat16*>(out), Column(v),
                         args.width, Pack(r));
    }
  }
};

// Sums VALUES of the block's groups in the order of the groups into OUT.
// SHARED: WIDTH floats.
template <int kVecs, int kThreads, int kRows>
__device__ void StoreBlockSum(const float (&values)[kRows][kVec], float* shared,
                              float* out, int64_t width) {
  static_assert(kRows == kVecs);
  const int groups = blockDim.x / kThreads;
  const int group = threadIdx.x / kThreads;
  for (int turn = 0; turn < groups; ++turn) {
    __syncthreads();
    if (group != turn) {
      continue;
    }
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      const int64_t first =
          int64_t{v * kThreads + static_cast<int>(threadIdx.x) % kThreads} *
          kVec;
#pragma unroll
      for (int i = 0; i < kVec; ++i) {
        if (first + i < width) {
          const float before = turn == 0 ? 0.0f : shared[first + i];
          const float sum = before + values[v][i];
          (turn == groups - 1 ? out : shared)[first + i] = sum;
        }
      }
    }
  }
}

template <int kVecs, int kThreads, bool kAligned, bool kLayer>
__global__ void __launch_bounds__(512) NormBackwardKernel(NormBackward args) {
  extern __shared__ float shared[];  // width floats where groups > 1
  __shared__ float scratch[32];
  const int groups = blockDim.x / kThreads;
  const int group = threadIdx.x / kThreads;
  float* const mine = scratch + group * (kThreads / 32);
  RowBackward<kVecs, kThreads, kAligned, kLayer> state;
  const int64_t step = int64_t{gridDim.x} * groups;
  for (int64_t row = int64_t{blockIdx.x} * groups + group; row < args.rows;
       row += step) {
    state.Load(args, row);
    const float2 stats = reinterpret_cast<const float2*>(args.stats)[row];
    float2 sums = state.Sums(args, stats);
    sums.y = GroupSum<kThreads>(sums.y, mine, group) / args.width;
    sums.x =
        kLayer ? GroupSum<kThreads>(sums.x, mine, group) / args.width : 0.0f;
    state.Write(args, row, stats, sums);
  }
  float* const partial = args.scratch + blockIdx.x * args.width;
  StoreBlockSum<kVecs, kThreads>(state.dgain, shared, partial, args.width);
  if constexpr (kLayer) {
    StoreBlockSum<kVecs, kThreads>(
        state.dbias, shared, partial + kPartialBlocks * args.width, args.width);
  }
}

template <int kVecs, int kThreads, bool kAligned>
Status Launch(const NormBackward& args, cudaStream_t stream) {
  constexpr int kBlock = kThreads == 32 ? 256 : 512;
  const size_t shared = kThreads < kBlock ? args.width * sizeof(float) : 0;
  if (args.kind == NormKind::kLayerNorm) {
    NormBackwardKernel<kVecs, kThreads, kAligned, true>
        <<<kPartialBlocks, kBlock, shared, stream>>>(args);
  } else {
    NormBackwardKernel<kVecs, kThreads, kAligned, false>
        <<<kPartialBlocks, kBlock, shared, stream>>>(args);
  }
  return LaunchStatus("norm backward");
}

Status LaunchAligned(const NormBackward& args, cudaStream_t stream) {
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
    return Launch<2, 128, true>(args, stream);
  }
  if (args.width <= 4096) {
    return Launch<4, 128, true>(args, stream);
  }
  return Launch<4, 512, true>(args, stream);
}

Status LaunchRows(const NormBackward& args, cudaStream_t stream) {
  const bool aligned = args.width % kVec == 0 && IsAligned(args.dy) &&
                       IsAligned(args.sum) && IsAligned(args.gain) &&
                       IsAligned(args.dresidual) && IsAligned(args.dx);
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

}  // namespace

Status LaunchNormBackward(const NormBackward& args, cudaStream_t stream) {
  if (args.width < 1 || args.width > kMaxNormWidth) {
    return InvalidArgumentError(
        "norm backward: width " + std::to_string(args.width) +
        " is not allowed; allowed: 1 to " + std::to_string(kMaxNormWidth));
  }
  RETURN_IF_ERROR(LaunchRows(args, stream));
  PartialSums sums{.partials = args.scratch,
                   .rows = kPartialBlocks,
                   .columns = args.width,
                   .pitch = args.width,
                   .out = args.dgain};
  RETURN_IF_ERROR(LaunchAddPartialSums(sums, stream));
  if (args.kind == NormKind::kRmsNorm || args.dbias.data == nullptr) {
    return OkStatus();
  }
  sums.partials += kPartialBlocks * args.width;
  sums.out = args.dbias;
  return LaunchAddPartialSums(sums, stream);
}

int64_t NormBackwardScratch(int64_t width) {
  return 2 * kPartialBlocks * width;
}

}  // namespace zs::gpu
