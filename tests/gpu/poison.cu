#include "engine/cuda/check.h"
#include "tests/gpu/poison.h"

namespace zs::gpu {
namespace {

constexpr int kBlock = 512;
constexpr int kBlocks = 4 * 132;
constexpr int kRegisters = 96;  // of each thread, next to all there are
constexpr int kSharedFloats = 12288;

__global__ void __launch_bounds__(kBlock, 1) PoisonKernel(float* never) {
  __shared__ float shared[kSharedFloats];
  float values[kRegisters];
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) {
    values[i] = __int_as_float(0x7fffffff);
    asm volatile("" : "+f"(values[i]));
  }
  for (int i = threadIdx.x; i < kSharedFloats; i += kBlock) {
    shared[i] = values[0];
  }
  __syncthreads();
  // Used again, so that all are held at once.
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) {
    asm volatile("" : "+f"(values[i]));
  }
  if (never != nullptr) {
    float sum = shared[threadIdx.x];
#pragma unroll
    for (int i = 0; i < kRegisters; ++i) {
      sum += values[i];
    }
    never[threadIdx.x] = sum;
  }
}

}  // namespace

Status LaunchPoison(cudaStream_t stream) {
  PoisonKernel<<<kBlocks, kBlock, 0, stream>>>(nullptr);
  return LaunchStatus("poison");
}

}  // namespace zs::gpu
