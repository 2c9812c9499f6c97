#include <algorithm>

#include "engine/cuda/check.h"
#include "engine/cuda/kernels/elementwise.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {
namespace {

constexpr int kBlock = 256;

__device__ float Load1(const float* x, int64_t i) {
  return x[i];
}
__device__ float Load1(const __nv_bfloat16* x, int64_t i) {
  return __bfloat162float(x[i]);
}
__device__ void Store1(float* x, int64_t i, float value) {
  x[i] = value;
}
__device__ void Store1(__nv_bfloat16* x, int64_t i, float value) {
  x[i] = __float2bfloat16_rn(value);
}

// Elements [8 i, 8 i + 8).
__device__ void Load8(const float* x, int64_t i, float (&out)[kVec]) {
  const float4 a = reinterpret_cast<const float4*>(x)[2 * i];
  const float4 b = reinterpret_cast<const float4*>(x)[2 * i + 1];
  const float all[kVec] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
  for (int j = 0; j < kVec; ++j) {
    out[j] = all[j];
  }
}
__device__ void Load8(const __nv_bfloat16* x, int64_t i, float (&out)[kVec]) {
  Unpack(reinterpret_cast<const uint4*>(x)[i], out);
}
__device__ void Store8(float* x, int64_t i, const float (&v)[kVec]) {
  reinterpret_cast<float4*>(x)[2 * i] = make_float4(v[0], v[1], v[2], v[3]);
  reinterpret_cast<float4*>(x)[2 * i + 1] = make_float4(v[4], v[5], v[6], v[7]);
}
__device__ void Store8(__nv_bfloat16* x, int64_t i, const float (&v)[kVec]) {
  reinterpret_cast<uint4*>(x)[i] = Pack(v);
}

// The first VECTORS x 8 elements by vectors, the rest one by one.
template <bool kAdd, typename From, typename To>
__global__ void __launch_bounds__(kBlock)
    CopyKernel(const From* from, float scale, To* to, int64_t vectors,
               int64_t size) {
  const int64_t first = int64_t{blockIdx.x} * kBlock + threadIdx.x;
  const int64_t step = int64_t{gridDim.x} * kBlock;
  for (int64_t i = first; i < vectors; i += step) {
    float x[kVec], y[kVec] = {};
    Load8(from, i, x);
    if constexpr (kAdd) {
      Load8(to, i, y);
    }
#pragma unroll
    for (int j = 0; j < kVec; ++j) {
      y[j] += scale * x[j];
    }
    Store8(to, i, y);
  }
  for (int64_t i = kVec * vectors + first; i < size; i += step) {
    const float before = kAdd ? Load1(to, i) : 0.0f;
    Store1(to, i, before + scale * Load1(from, i));
  }
}

unsigned GridFor(int64_t work) {
  return static_cast<unsigned>(
      std::clamp<int64_t>(CeilDiv(work, kBlock), 1, int64_t{1} << 20));
}

template <bool kAdd, typename From, typename To>
Status Launch(ConstSpan from, float scale, Span to, int64_t size,
              cudaStream_t stream) {
  const bool aligned = IsAligned(from.data) && IsAligned(to.data);
  const int64_t vectors = aligned ? size / kVec : 0;
  CopyKernel<kAdd><<<GridFor(aligned ? vectors : size), kBlock, 0, stream>>>(
      static_cast<const From*>(from.data), scale, static_cast<To*>(to.data),
      vectors, size);
  return LaunchStatus(kAdd ? "add" : "copy");
}

template <bool kAdd>
Status LaunchTyped(ConstSpan from, float scale, Span to, int64_t size,
                   cudaStream_t stream) {
  if (size == 0) {
    return OkStatus();
  }
  if (from.type == DType::kF32) {
    return to.type == DType::kF32
               ? Launch<kAdd, float, float>(from, scale, to, size, stream)
               : Launch<kAdd, float, __nv_bfloat16>(from, scale, to, size,
                                                    stream);
  }
  return to.type == DType::kF32
             ? Launch<kAdd, __nv_bfloat16, float>(from, scale, to, size, stream)
             : Launch<kAdd, __nv_bfloat16, __nv_bfloat16>(from, scale, to, size,
                                                          stream);
}

// SplitMix64 (Steele, Lea and Flood 2014) of the element's number.
__device__ float NoiseOf(uint64_t seed, int64_t i) {
  uint64_t z = (static_cast<uint64_t>(i) + 1) * 0x9e3779b97f4a7c15ull + seed;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  z ^= z >> 31;
  return static_cast<float>(z >> 40) * 0x1p-23f - 1.0f;
}

template <typename T>
__global__ void __launch_bounds__(kBlock)
    NoiseKernel(T* to, int64_t size, uint64_t seed) {
  const int64_t step = int64_t{gridDim.x} * kBlock;
  for (int64_t i = int64_t{blockIdx.x} * kBlock + threadIdx.x; i < size;
       i += step) {
    Store1(to, i, NoiseOf(seed, i));
  }
}

__global__ void __launch_bounds__(kBlock) RotaryKernel(RotaryTables args) {
  const int64_t half = args.head_size / 2;
  const int64_t i = int64_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i < args.positions * half) {
    const double angle =
        (i / half) * pow(args.theta, -2.0 * (i % half) / args.head_size);
    args.cos[i] = static_cast<float>(cos(angle));
    args.sin[i] = static_cast<float>(sin(angle));
  }
}

}  // namespace

Status LaunchCopy(ConstSpan from, float scale, Span to, int64_t size,
                  cudaStream_t stream) {
  return LaunchTyped<false>(from, scale, to, size, stream);
}

Status LaunchAdd(ConstSpan from, float scale, Span to, int64_t size,
                 cudaStream_t stream) {
  return LaunchTyped<true>(from, scale, to, size, stream);
}

Status LaunchNoise(Span to, int64_t size, uint64_t seed, cudaStream_t stream) {
  if (size == 0) {
    return OkStatus();
  }
  if (to.type == DType::kF32) {
    NoiseKernel<<<GridFor(size), kBlock, 0, stream>>>(
        static_cast<float*>(to.data), size, seed);
  } else {
    NoiseKernel<<<GridFor(size), kBlock, 0, stream>>>(
        static_cast<__nv_bfloat16*>(to.data), size, seed);
  }
  return LaunchStatus("noise");
}

Status LaunchRotaryTables(const RotaryTables& args, cudaStream_t stream) {
  RotaryKernel<<<GridFor(args.positions * args.head_size / 2), kBlock, 0,
                 stream>>>(args);
  return LaunchStatus("rotary tables");
}

}  // namespace zs::gpu
