#include <string>

#include "engine/cuda/check.h"
#include "engine/cuda/kernels/column_sum.h"
#include "engine/cuda/kernels/rope.h"
#include "engine/cuda/kernels/rope_head.cuh"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {
namespace {

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;
constexpr int64_t kMaxRows = int64_t{1} << 30;

// x / rms(x) x gain; returns 1/rms.
template <int kLanes>
__device__ float Normalize(const QkShape& shape, const Half& gain, Half& x) {
  float squares = 0.0f;
#pragma unroll
  for (int j = 0; j < kVec; ++j) {
    squares += x.low[j] * x.low[j] + x.high[j] * x.high[j];
  }
  squares = LaneSum<kLanes>(squares);
  const float rstd =
      rsqrtf(squares / static_cast<float>(shape.head_size) + shape.eps);
#pragma unroll
  for (int j = 0; j < kVec; ++j) {
    x.low[j] *= rstd * gain.low[j];
    x.high[j] *= rstd * gain.high[j];
  }
  return rstd;
}

// A warp a row, 32 / kLanes heads at a time, so that the position's angles are
// read once; the next heads are asked for before these are computed.
template <int kLanes, bool kAligned>
__global__ void __launch_bounds__(kBlock) QkForwardKernel(QkForward args) {
  constexpr int kGroups = 32 / kLanes;
  const QkShape& shape = args.shape;
  const int heads = static_cast<int>(shape.heads + shape.kv_heads);
  const int size = static_cast<int>(shape.head_size);
  const int half = size / 2;
  const int i = static_cast<int>(threadIdx.x) % kLanes * kVec;
  const int group = static_cast<int>(threadIdx.x) % 32 / kLanes;
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= shape.rows) {
    return;  // the whole warp
  }
  const Bf16* const in = args.in + row * args.in_stride;
  Bf16* const out = args.out + row * args.out_stride;
  const Angles angles =
      LoadAngles<kAligned>(shape, static_cast<int>(row), i, 1.0f);
  RawHalf next = LoadRaw<kAligned>(in + min(group, heads - 1) * size, i, half);
  for (int first = 0; first < heads; first += kGroups) {
    const bool live = first + group < heads;
    const int head = live ? first + group : heads - 1;
    Half x = Widen(next);
    if (head + kGroups < heads) {
      next = LoadRaw<kAligned>(in + (head + kGroups) * size, i, half);
    }
    if (shape.q_gain != nullptr) {
      const Bf16* const gain = head < shape.heads ? shape.q_gain : shape.k_gain;
      const float rstd =
          Normalize<kLanes>(shape, Widen(LoadRaw<kAligned>(gain, i, half)), x);
      if (live && i == 0) {
        args.rstd[row * heads + head] = rstd;
      }
    }
    if (shape.cos != nullptr) {
      Rotate(angles, x);
    }
    if (live) {
      StoreHead<kAligned>(out + head * size, i, half, x);
    }
  }
}

// With xhat = x rstd and g = dy gain: dx = rstd (g - xhat mean(g xhat)); adds
// dy xhat to DGAIN.
__device__ void NormGradient(const Half& x, const Half& gain, float rstd,
                             float mean, Half& dy) {
#pragma unroll
  for (int j = 0; j < kVec; ++j) {
    dy.low[j] = rstd * (dy.low[j] * gain.low[j] - x.low[j] * rstd * mean);
    dy.high[j] = rstd * (dy.high[j] * gain.high[j] - x.high[j] * rstd * mean);
  }
}

// This thread's part of sum(dy gain xhat); adds dy xhat to DGAIN.
__device__ float GainGradient(const Half& x, const Half& gain, float rstd,
                              const Half& dy, Half& dgain) {
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < kVec; ++j) {
    const float low = dy.low[j] * x.low[j] * rstd;
    const float high = dy.high[j] * x.high[j] * rstd;
    dgain.low[j] += low;
    dgain.high[j] += high;
    sum += low * gain.low[j] + high * gain.high[j];
  }
  return sum;
}

// Sums VALUE over the block's groups of kLanes threads in the order of the
// groups: out[element of the head].
template <int kLanes>
__device__ void StoreGainSum(const Half& value, float* shared, float* out,
                             int64_t half) {
  constexpr int kGroups = kBlock / kLanes;
  constexpr int kWidth = kLanes * 2 * kVec;
  const int group = threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  __syncthreads();
#pragma unroll
  for (int j = 0; j < kVec; ++j) {
    shared[group * kWidth + lane * kVec + j] = value.low[j];
    shared[group * kWidth + (kLanes + lane) * kVec + j] = value.high[j];
  }
  __syncthreads();
  for (int64_t i = threadIdx.x; i < 2 * half; i += kBlock) {
    const int64_t from = i < half ? i : i - half + kLanes * kVec;
    float sum = 0.0f;
    for (int g = 0; g < kGroups; ++g) {
      sum += shared[g * kWidth + from];
    }
    out[i] = sum;
  }
}

// Blocks that work on the query heads, the others on the key heads: each has
// one gain's gradient to sum, and about the same number of heads.
__host__ __device__ inline int QueryBlocks(const QkShape& shape) {
  const int64_t all = shape.heads + shape.kv_heads;
  const auto blocks = static_cast<int>(kPartialBlocks * shape.heads / all);
  return blocks < 1 ? 1
                    : (blocks < kPartialBlocks ? blocks : kPartialBlocks - 1);
}

// What a warp reads of its heads.
struct Inputs {
  RawHalf dy;
  RawHalf x;
  float rstd;
};

// The heads of a block: HEADS of each row, from FIRST on.
struct Share {
  int first;
  int heads;
};

template <bool kAligned>
__device__ Inputs LoadInputs(const QkBackward& args, int64_t row, int head,
                             int i) {
  const QkShape& shape = args.shape;
  const int size = static_cast<int>(shape.head_size);
  Inputs in = {};
  in.dy = LoadRaw<kAligned>(args.grad + row * args.grad_stride + head * size, i,
                            size / 2);
  if (shape.q_gain != nullptr) {
    in.x = LoadRaw<kAligned>(args.in + row * args.in_stride + head * size, i,
                             size / 2);
    in.rstd = args.rstd[row * (shape.heads + shape.kv_heads) + head];
  }
  return in;
}

// As the forward pass, with a share of the heads and rows in turn.
template <int kLanes, bool kAligned>
__global__ void __launch_bounds__(kBlock, 2) QkBackwardKernel(QkBackward args) {
  constexpr int kGroups = 32 / kLanes;
  __shared__ float shared[kBlock * 2 * kVec];
  const QkShape& shape = args.shape;
  const int size = static_cast<int>(shape.head_size);
  const int half = size / 2;
  const int queries = QueryBlocks(shape);
  const bool is_q = static_cast<int>(blockIdx.x) < queries;
  const Share share = is_q ? Share{0, static_cast<int>(shape.heads)}
                           : Share{static_cast<int>(shape.heads),
                                   static_cast<int>(shape.kv_heads)};
  const int block = static_cast<int>(blockIdx.x) - (is_q ? 0 : queries);
  const int step = (is_q ? queries : kPartialBlocks - queries) * kWarps;
  const int i = static_cast<int>(threadIdx.x) % kLanes * kVec;
  const int group = static_cast<int>(threadIdx.x) % 32 / kLanes;
  RawHalf gain = {};
  if (shape.q_gain != nullptr) {
    gain = LoadRaw<kAligned>(is_q ? shape.q_gain : shape.k_gain, i, half);
  }
  Half dgain = {};
  const int last = share.first + share.heads - 1;
  int64_t row = block * kWarps + static_cast<int>(threadIdx.x) / 32;
  Inputs next = {};
  if (row < shape.rows) {
    next = LoadInputs<kAligned>(args, row, min(share.first + group, last), i);
  }
  for (; row < shape.rows; row += step) {
    const Angles angles =
        LoadAngles<kAligned>(shape, static_cast<int>(row), i, -1.0f);
    for (int first = share.first; first <= last; first += kGroups) {
      const bool live = first + group <= last;
      const int head = live ? first + group : last;
      const Inputs in = next;
      const bool more = first + kGroups <= last;
      if (more || row + step < shape.rows) {
        next = LoadInputs<kAligned>(
            args, more ? row : row + step,
            min((more ? first + kGroups : share.first) + group, last), i);
      }
      Half dy = live ? Widen(in.dy) : Half{};
      if (shape.cos != nullptr) {
        Rotate(angles, dy);
      }
      if (shape.q_gain != nullptr) {
        const Half x = Widen(in.x);
        const Half g = Widen(gain);
        float sum = GainGradient(x, g, in.rstd, dy, dgain);
        sum = LaneSum<kLanes>(sum) / static_cast<float>(size);
        NormGradient(x, g, in.rstd, sum, dy);
      }
      if (live) {
        StoreHead<kAligned>(args.grad + row * args.grad_stride + head * size, i,
                            half, dy);
      }
    }
  }
  if (shape.q_gain != nullptr) {
    StoreGainSum<kLanes>(dgain, shared, args.scratch + blockIdx.x * size, half);
  }
}

template <int kLanes, bool kAligned>
Status Launch(const QkForward& args, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>(CeilDiv(args.shape.rows, kWarps));
  QkForwardKernel<kLanes, kAligned><<<grid, kBlock, 0, stream>>>(args);
  return LaunchStatus("qk norm and rope forward");
}

template <int kLanes, bool kAligned>
Status Launch(const QkBackward& args, cudaStream_t stream) {
  QkBackwardKernel<kLanes, kAligned>
      <<<kPartialBlocks, kBlock, 0, stream>>>(args);
  return LaunchStatus("qk norm and rope backward");
}

// Chooses the threads of a head: at least head_size / 16, a power of two.
template <bool kAligned, typename Args>
Status Dispatch(const Args& args, cudaStream_t stream) {
  const int64_t lanes = CeilDiv(args.shape.head_size / 2, kVec);
  if (lanes <= 2) {
    return Launch<2, kAligned>(args, stream);
  }
  if (lanes <= 4) {
    return Launch<4, kAligned>(args, stream);
  }
  if (lanes <= 8) {
    return Launch<8, kAligned>(args, stream);
  }
  if (lanes <= 16) {
    return Launch<16, kAligned>(args, stream);
  }
  return Launch<32, kAligned>(args, stream);
}

Status CheckShape(const QkShape& shape) {
  if (shape.head_size < 2 || shape.head_size > kMaxHeadSize ||
      shape.head_size % 2 != 0) {
    return InvalidArgumentError(
        "qk norm and rope: head_size " + std::to_string(shape.head_size) +
        " is not allowed; allowed: even, 2 to " + std::to_string(kMaxHeadSize));
  }
  if (shape.rows > kMaxRows) {
    return InvalidArgumentError(
        "qk norm and rope: " + std::to_string(shape.rows) +
        " rows are not allowed; allowed: at most " + std::to_string(kMaxRows));
  }
  return OkStatus();
}

bool AlignedRows(const QkShape& shape, const void* data, int64_t stride) {
  return shape.head_size % (2 * kVec) == 0 && stride % kVec == 0 &&
         IsAligned(data) && IsAligned(shape.q_gain) &&
         IsAligned(shape.k_gain) && IsAligned(shape.cos) &&
         IsAligned(shape.sin);
}

}  // namespace

Status LaunchQkForward(const QkForward& args, cudaStream_t stream) {
  RETURN_IF_ERROR(CheckShape(args.shape));
  if (args.shape.rows == 0) {
    return OkStatus();
  }
  return AlignedRows(args.shape, args.in, args.in_stride) &&
                 AlignedRows(args.shape, args.out, args.out_stride)
             ? Dispatch<true>(args, stream)
             : Dispatch<false>(args, stream);
}

Status LaunchQkBackward(const QkBackward& args, cudaStream_t stream) {
  RETURN_IF_ERROR(CheckShape(args.shape));
  RETURN_IF_ERROR(AlignedRows(args.shape, args.in, args.in_stride) &&
                          AlignedRows(args.shape, args.grad, args.grad_stride)
                      ? Dispatch<true>(args, stream)
                      : Dispatch<false>(args, stream));
  if (args.shape.q_gain == nullptr) {
    return OkStatus();
  }
  const int queries = QueryBlocks(args.shape);
  PartialSums sums{.partials = args.scratch,
                   .rows = queries,
                   .columns = args.shape.head_size,
                   .pitch = args.shape.head_size,
                   .out = args.dq_gain};
  RETURN_IF_ERROR(LaunchAddPartialSums(sums, stream));
  sums.partials += queries * args.shape.head_size;
  sums.rows = kPartialBlocks - queries;
  sums.out = args.dk_gain;
  return LaunchAddPartialSums(sums, stream);
}

int64_t QkBackwardScratch(int64_t head_size) {
  return kPartialBlocks * head_size;
}

}  // namespace zs::gpu
