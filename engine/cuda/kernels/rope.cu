#include <string>

#include "engine/cuda/check.h"
#include "engine/cuda/kernels/column_sum.h"
#include "engine/cuda/kernels/rope.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {
namespace {

constexpr int kBlock = 256;

// kLanes threads share a head; each holds 8 elements of its first half and
// the 8 that pair with them.
struct Half {
  float low[kVec];
  float high[kVec];
};

__device__ const __nv_bfloat16* Cast(const Bf16* p) {
  return reinterpret_cast<const __nv_bfloat16*>(p);
}

template <bool kAligned>
__device__ Half LoadHead(const Bf16* head, int64_t i, int64_t half) {
  Half x;
  Unpack(LoadRow<kAligned>(Cast(head), i, half), x.low);
  Unpack(LoadRow<kAligned>(Cast(head) + half, i, half), x.high);
  return x;
}

template <bool kAligned>
__device__ void StoreHead(Bf16* head, int64_t i, int64_t half, const Half& x) {
  auto* p = reinterpret_cast<__nv_bfloat16*>(head);
  StoreRow<kAligned>(p, i, half, Pack(x.low));
  StoreRow<kAligned>(p + half, i, half, Pack(x.high));
}

// kVec of a table's floats, of which the first COUNT exist.
template <bool kAligned>
__device__ void LoadTable(const float* table, int64_t count, float* values) {
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

// SIGN 1 rotates, -1 rotates back.
template <bool kAligned>
__device__ void Rotate(const QkShape& shape, int64_t row, int64_t i, float sign,
                       Half& x) {
  const int64_t half = shape.head_size / 2;
  if (i >= half) {
    return;
  }
  const int64_t offset = row % shape.seq_len * half + i;
  float c[kVec];
  float s[kVec];
  LoadTable<kAligned>(shape.cos + offset, half - i, c);
  LoadTable<kAligned>(shape.sin + offset, half - i, s);
#pragma unroll
  for (int j = 0; j < kVec; ++j) {
    const float low = x.low[j] * c[j] - x.high[j] * sign * s[j];
    x.high[j] = x.high[j] * c[j] + x.low[j] * sign * s[j];
    x.low[j] = low;
  }
}

template <int kLanes, bool kAligned>
__global__ void QkForwardKernel(QkForward args) {
  const QkShape& shape = args.shape;
  const int64_t heads = shape.heads + shape.kv_heads;
  const int64_t half = shape.head_size / 2;
  const int64_t item = (int64_t{blockIdx.x} * kBlock + threadIdx.x) / kLanes;
  const bool live = item < shape.rows * heads;
  const int64_t row = live ? item / heads : 0;
  const int64_t head = live ? item % heads : 0;
  const int64_t i = int64_t{threadIdx.x % kLanes} * kVec;
  Half x = LoadHead<kAligned>(
      args.in + row * args.in_stride + head * shape.head_size, i, half);
  if (shape.q_gain != nullptr) {
    float squares = 0.0f;
#pragma unroll
    for (int j = 0; j < kVec; ++j) {
      squares += x.low[j] * x.low[j] + x.high[j] * x.high[j];
    }
    squares = LaneSum<kLanes>(squares);
    const float rstd = rsqrtf(squares / shape.head_size + shape.eps);
    if (live && i == 0) {
      args.rstd[item] = rstd;
    }
    const Half gain = LoadHead<kAligned>(
        head < shape.heads ? shape.q_gain : shape.k_gain, i, half);
#pragma unroll
    for (int j = 0; j < kVec; ++j) {
      x.low[j] *= rstd * gain.low[j];
      x.high[j] *= rstd * gain.high[j];
    }
  }
  if (shape.cos != nullptr) {
    Rotate<kAligned>(shape, row, i, 1.0f, x);
  }
  if (live) {
    StoreHead<kAligned>(
        args.out + row * args.out_stride + head * shape.head_size, i, half, x);
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

template <int kLanes, bool kAligned>
__global__ void __launch_bounds__(kBlock) QkBackwardKernel(QkBackward args) {
  __shared__ float shared[kBlock * 2 * kVec];
  const QkShape& shape = args.shape;
  const int64_t heads = shape.heads + shape.kv_heads;
  const int64_t half = shape.head_size / 2;
  const int64_t i = int64_t{threadIdx.x % kLanes} * kVec;
  const int64_t step = int64_t{gridDim.x} * (kBlock / kLanes);
  const int64_t items = shape.rows * heads;
  Half dq = {}, dk = {};
  // All lanes of a warp stay in the loop: they exchange values.
  for (int64_t first = int64_t{blockIdx.x} * (kBlock / kLanes); first < items;
       first += step) {
    const int64_t item = first + threadIdx.x / kLanes;
    const bool live = item < items;
    const int64_t row = live ? item / heads : 0;
    const int64_t head = live ? item % heads : 0;
    Bf16* const grad =
        args.grad + row * args.grad_stride + head * shape.head_size;
    Half dy = live ? LoadHead<kAligned>(grad, i, half) : Half{};
    // Asked for before anything waits for the first load.
    Half x = {};
    float rstd = 0.0f;
    if (shape.q_gain != nullptr) {
      x = LoadHead<kAligned>(
          args.in + row * args.in_stride + head * shape.head_size, i, half);
      rstd = args.rstd[live ? item : 0];
    }
    if (shape.cos != nullptr) {
      Rotate<kAligned>(shape, row, i, -1.0f, dy);
    }
    if (shape.q_gain != nullptr) {
      const bool is_q = head < shape.heads;
      const Half gain =
          LoadHead<kAligned>(is_q ? shape.q_gain : shape.k_gain, i, half);
      float sum = is_q ? GainGradient(x, gain, rstd, dy, dq)
                       : GainGradient(x, gain, rstd, dy, dk);
      sum = LaneSum<kLanes>(sum) / shape.head_size;
      NormGradient(x, gain, rstd, sum, dy);
    }
    if (live) {
      StoreHead<kAligned>(grad, i, half, dy);
    }
  }
  if (shape.q_gain != nullptr) {
    float* const out = args.scratch + blockIdx.x * 2 * shape.head_size;
    StoreGainSum<kLanes>(dq, shared, out, half);
    StoreGainSum<kLanes>(dk, shared, out + shape.head_size, half);
  }
}

unsigned ForwardGrid(const QkShape& shape, int lanes) {
  const int64_t threads = shape.rows * (shape.heads + shape.kv_heads) * lanes;
  return static_cast<unsigned>(CeilDiv(threads, kBlock));
}

template <int kLanes, bool kAligned>
Status Launch(const QkForward& args, cudaStream_t stream) {
  QkForwardKernel<kLanes, kAligned>
      <<<ForwardGrid(args.shape, kLanes), kBlock, 0, stream>>>(args);
  return LaunchStatus("qk norm and rope forward");
}

template <int kLanes, bool kAligned>
Status Launch(const QkBackward& args, cudaStream_t stream) {
  QkBackwardKernel<kLanes, kAligned>
      <<<2 * kPartialBlocks, kBlock, 0, stream>>>(args);
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
  PartialSums sums{.partials = args.scratch,
                   .rows = 2 * kPartialBlocks,
                   .columns = args.shape.head_size,
                   .pitch = 2 * args.shape.head_size,
                   .out = args.dq_gain};
  RETURN_IF_ERROR(LaunchAddPartialSums(sums, stream));
  sums.partials += args.shape.head_size;
  sums.out = args.dk_gain;
  return LaunchAddPartialSums(sums, stream);
}

int64_t QkBackwardScratch(int64_t head_size) {
  return 4 * kPartialBlocks * head_size;
}

}  // namespace zs::gpu
