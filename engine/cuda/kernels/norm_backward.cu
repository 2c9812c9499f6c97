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
  // What is read of a row.
  struct Inputs {
    uint4 x[kVecs];
    uint4 dy[kVecs];
    uint4 residual[kVecs];
    float2 stats;
  };

  uint4 gain[kVecs];
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
  __device__ void LoadGain(const NormBackward& args) {
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      gain[v] = LoadAt(args.gain, v, args.width);
    }
  }
  __device__ static void Load(const NormBackward& args, int64_t row,
                              Inputs& in) {
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      in.x[v] = LoadAt(args.sum + row * args.width, v, args.width);
      in.dy[v] = LoadAt(args.dy + row * args.width, v, args.width);
      in.residual[v] =
          args.dresidual == nullptr
              ? make_uint4(0, 0, 0, 0)
              : LoadAt(args.dresidual + row * args.width, v, args.width);
    }
    in.stats = reinterpret_cast<const float2*>(args.stats)[row];
  }
  // This thread's part of the sums of g and of g x xhat (where past the end,
  // dy is zero); adds to dgain and dbias.
  __device__ float2 Sums(Inputs& in) {
    float2 sums = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      float a[kVec], d[kVec], g[kVec];
      Unpack(in.x[v], a);
      Unpack(in.dy[v], d);
      Unpack(gain[v], g);
#pragma unroll
      for (int i = 0; i < kVec; ++i) {
        const float xhat = (a[i] - in.stats.x) * in.stats.y;
        sums.x += d[i] * g[i];
        sums.y += d[i] * g[i] * xhat;
        dgain[v][i] += d[i] * xhat;
        if constexpr (kLayer) {
          dbias[v][i] += d[i];
        }
      }
      Repack(in.x[v]);
      Repack(in.dy[v]);
      Repack(gain[v]);
    }
    return sums;
  }
  // MEANS: of g (zero for RMSNorm) and of g x xhat.
  __device__ void Write(const NormBackward& args, int64_t row, const Inputs& in,
                        float2 means) const {
    Bf16* const out = args.dx + row * args.width;
#pragma unroll
    for (int v = 0; v < kVecs; ++v) {
      float a[kVec], d[kVec], g[kVec], r[kVec];
      Unpack(in.x[v], a);
      Unpack(in.dy[v], d);
      Unpack(gain[v], g);
      Unpack(in.residual[v], r);
#pragma unroll
      for (int i = 0; i < kVec; ++i) {
        const float xhat = (a[i] - in.stats.x) * in.stats.y;
        r[i] += in.stats.y * (d[i] * g[i] - means.x - xhat * means.y);
      }
      StoreRow<kAligned>(reinterpret_cast<__nv_bfloat16*>(out), Column(v),
                         args.width, Pack(r));
    }
  }
};

// Both sums over the kThreads neighbouring threads that share a row, on each.
// SCRATCH: kThreads / 32 pairs of this group alone, another one in every other
// call, so that one barrier is enough.
template <int kThreads, bool kBoth>
__device__ float2 GroupSums(float2 x, float2* scratch, int group) {
  x.y = LaneSum<32>(x.y);
  if constexpr (kBoth) {
    x.x = LaneSum<32>(x.x);
  }
  if constexpr (kThreads > 32) {
    if (threadIdx.x % 32 == 0) {
      scratch[threadIdx.x % kThreads / 32] = x;
    }
    GroupBarrier(1 + group, kThreads);
    x = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int i = 0; i < kThreads / 32; ++i) {
      x.x += scratch[i].x;
      x.y += scratch[i].y;
    }
  }
  return make_float2(kBoth ? x.x : 0.0f, x.y);
}

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

// Threads of a block whose rows have THREADS each.
constexpr int BlockOf(int threads) {
  return threads > 256 ? threads : threads == 96 ? 384 : 256;
}

// A group loads its next row while it computes the one before.
template <int kVecs, int kThreads, bool kAligned, bool kLayer>
__global__ void __launch_bounds__(BlockOf(kThreads),
                                  BlockOf(kThreads) < 512 ? 2 : 1)
    NormBackwardKernel(NormBackward args) {
  using State = RowBackward<kVecs, kThreads, kAligned, kLayer>;
  extern __shared__ float shared[];  // width floats where groups > 1
  __shared__ float2 scratch[2][16];
  const int groups = blockDim.x / kThreads;
  const int group = threadIdx.x / kThreads;
  const int64_t step = int64_t{gridDim.x} * groups;
  int64_t row = int64_t{blockIdx.x} * groups + group;
  State state;
  state.LoadGain(args);
  typename State::Inputs next;
  if (row < args.rows) {
    State::Load(args, row, next);
  }
  for (int turn = 0; row < args.rows; row += step, turn ^= 1) {
    typename State::Inputs in = next;
    if (row + step < args.rows) {
      State::Load(args, row + step, next);
    }
    float2 sums = GroupSums<kThreads, kLayer>(
        state.Sums(in), scratch[turn] + group * (kThreads / 32), group);
    sums.x /= args.width;
    sums.y /= args.width;
    state.Write(args, row, in, sums);
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
  constexpr int kBlock = BlockOf(kThreads);
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
    return Launch<1, 64, true>(args, stream);
  }
  if (args.width <= 768) {
    return Launch<1, 96, true>(args, stream);
  }
  if (args.width <= 1024) {
    return Launch<1, 128, true>(args, stream);
  }
  if (args.width <= 2048) {
    return Launch<2, 128, true>(args, stream);
  }
  if (args.width <= 4096) {
    return Launch<2, 256, true>(args, stream);
  }
  if (args.width <= 8192) {
    return Launch<2, 512, true>(args, stream);
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
