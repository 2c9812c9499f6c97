#include <algorithm>

#include "engine/cuda/check.h"
#include "engine/cuda/kernels/activation.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {
namespace {

constexpr int kBlock = 128;  // threads side by side in a row
constexpr float kGeluLinear = 0.7978845608028654f;  // sqrt(2 / pi)
constexpr float kGeluCubic = 0.044715f;

__device__ float Sigmoid(float x) {
  return 1.0f / (1.0f + __expf(-x));
}

// tanh(y) = 1 - 2 / (exp(2 y) + 1): right at both ends.
__device__ float Tanh(float y) {
  return 1.0f - 2.0f / (__expf(2.0f * y) + 1.0f);
}

__device__ float GeluOf(float u) {
  return 0.5f * u * (1.0f + Tanh(kGeluLinear * (u + kGeluCubic * u * u * u)));
}

__device__ float GeluSlope(float u) {
  const float t = Tanh(kGeluLinear * (u + kGeluCubic * u * u * u));
  return 0.5f * (1.0f + t) + 0.5f * u * (1.0f - t * t) * kGeluLinear *
                                 (1.0f + 3.0f * kGeluCubic * u * u);
}

// A kernel's work on the 8 elements from (row, column) on.
template <bool kAligned>
__device__ void Apply(const SwiGlu& args, int64_t row, int64_t column) {
  const auto* in = reinterpret_cast<const __nv_bfloat16*>(args.gate_up) +
                   row * 2 * args.width;
  float gate[kVec], up[kVec];
  Unpack(LoadRow<kAligned>(in, column, args.width), gate);
  Unpack(LoadRow<kAligned>(in + args.width, column, args.width), up);
#pragma unroll
  for (int i = 0; i < kVec; ++i) {
    up[i] *= gate[i] * Sigmoid(gate[i]);
  }
  StoreRow<kAligned>(
      reinterpret_cast<__nv_bfloat16*>(args.y) + row * args.width, column,
      args.width, Pack(up));
}

template <bool kAligned>
__device__ void Apply(const SwiGluBackward& args, int64_t row, int64_t column) {
  const int64_t width = args.width;
  const auto* in =
      reinterpret_cast<const __nv_bfloat16*>(args.gate_up) + row * 2 * width;
  const auto* grad =
      reinterpret_cast<const __nv_bfloat16*>(args.dy) + row * width;
  float gate[kVec], up[kVec], dy[kVec], y[kVec];
  Unpack(LoadRow<kAligned>(in, column, width), gate);
  Unpack(LoadRow<kAligned>(in + width, column, width), up);
  Unpack(LoadRow<kAligned>(grad, column, width), dy);
#pragma unroll
  for (int i = 0; i < kVec; ++i) {
    const float sigmoid = Sigmoid(gate[i]);
    const float silu = gate[i] * sigmoid;
    y[i] = silu * up[i];
    gate[i] = dy[i] * up[i] * (sigmoid + silu * (1.0f - sigmoid));
    up[i] = dy[i] * silu;
  }
  auto* out =
      reinterpret_cast<__nv_bfloat16*>(args.d_gate_up) + row * 2 * width;
  StoreRow<kAligned>(out, column, width, Pack(gate));
  StoreRow<kAligned>(out + width, column, width, Pack(up));
  if (args.y != nullptr) {
    StoreRow<kAligned>(reinterpret_cast<__nv_bfloat16*>(args.y) + row * width,
                       column, width, Pack(y));
  }
}

// x + bias; bias may be null.
template <bool kAligned, typename Args>
__device__ void LoadBiased(const Args& args, int64_t row, int64_t column,
                           float (&x)[kVec]) {
  const auto* in =
      reinterpret_cast<const __nv_bfloat16*>(args.x) + row * args.width;
  Unpack(LoadRow<kAligned>(in, column, args.width), x);
  if (args.bias != nullptr) {
    float bias[kVec];
    Unpack(LoadRow<kAligned>(reinterpret_cast<const __nv_bfloat16*>(args.bias),
                             column, args.width),
           bias);
#pragma unroll
    for (int i = 0; i < kVec; ++i) {
      x[i] += bias[i];
    }
  }
}

template <bool kAligned>
__device__ void Apply(const Gelu& args, int64_t row, int64_t column) {
  float x[kVec];
  LoadBiased<kAligned>(args, row, column, x);
#pragma unroll
  for (int i = 0; i < kVec; ++i) {
    x[i] = GeluOf(x[i]);
  }
  StoreRow<kAligned>(
      reinterpret_cast<__nv_bfloat16*>(args.y) + row * args.width, column,
      args.width, Pack(x));
}

template <bool kAligned>
__device__ void Apply(const GeluBackward& args, int64_t row, int64_t column) {
  float x[kVec], dy[kVec];
  LoadBiased<kAligned>(args, row, column, x);
  Unpack(LoadRow<kAligned>(
             reinterpret_cast<const __nv_bfloat16*>(args.dy) + row * args.width,
             column, args.width),
         dy);
#pragma unroll
  for (int i = 0; i < kVec; ++i) {
    dy[i] *= GeluSlope(x[i]);
  }
  StoreRow<kAligned>(
      reinterpret_cast<__nv_bfloat16*>(args.dx) + row * args.width, column,
      args.width, Pack(dy));
}

template <bool kAligned>
__device__ void Apply(const BiasAdd& args, int64_t row, int64_t column) {
  float x[kVec];
  LoadBiased<kAligned>(args, row, column, x);
  StoreRow<kAligned>(
      reinterpret_cast<__nv_bfloat16*>(args.y) + row * args.width, column,
      args.width, Pack(x));
}

template <bool kAligned, typename Args>
__global__ void __launch_bounds__(kBlock) RowsKernel(Args args) {
  const int64_t column = (int64_t{blockIdx.x} * kBlock + threadIdx.x) * kVec;
  if (column >= args.width) {
    return;
  }
  for (int64_t row = blockIdx.y; row < args.rows; row += gridDim.y) {
    Apply<kAligned>(args, row, column);
  }
}

template <typename Args>
Status LaunchRows(const Args& args, bool aligned, const char* name,
                  cudaStream_t stream) {
  if (args.rows == 0) {
    return OkStatus();
  }
  const dim3 grid(static_cast<unsigned>(CeilDiv(args.width, kBlock * kVec)),
                  static_cast<unsigned>(std::min<int64_t>(args.rows, 65535)));
  if (aligned && args.width % kVec == 0) {
    RowsKernel<true><<<grid, kBlock, 0, stream>>>(args);
  } else {
    RowsKernel<false><<<grid, kBlock, 0, stream>>>(args);
  }
  return LaunchStatus(name);
}

}  // namespace

Status LaunchSwiGlu(const SwiGlu& args, cudaStream_t stream) {
  return LaunchRows(args, IsAligned(args.gate_up) && IsAligned(args.y),
                    "swiglu forward", stream);
}

Status LaunchSwiGluBackward(const SwiGluBackward& args, cudaStream_t stream) {
  const bool aligned = IsAligned(args.gate_up) && IsAligned(args.dy) &&
                       IsAligned(args.d_gate_up) && IsAligned(args.y);
  return LaunchRows(args, aligned, "swiglu backward", stream);
}

Status LaunchGelu(const Gelu& args, cudaStream_t stream) {
  const bool aligned =
      IsAligned(args.x) && IsAligned(args.bias) && IsAligned(args.y);
  return LaunchRows(args, aligned, "gelu forward", stream);
}

Status LaunchGeluBackward(const GeluBackward& args, cudaStream_t stream) {
  const bool aligned = IsAligned(args.x) && IsAligned(args.bias) &&
                       IsAligned(args.dy) && IsAligned(args.dx);
  return LaunchRows(args, aligned, "gelu backward", stream);
}

Status LaunchBiasAdd(const BiasAdd& args, cudaStream_t stream) {
  const bool aligned =
      IsAligned(args.x) && IsAligned(args.bias) && IsAligned(args.y);
  return LaunchRows(args, aligned, "bias add", stream);
}

}  // namespace zs::gpu
