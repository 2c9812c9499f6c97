// Conversions and sums of flat ranges.
#ifndef ENGINE_CUDA_KERNELS_ELEMENTWISE_H_
#define ENGINE_CUDA_KERNELS_ELEMENTWISE_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/status.h"
#include "engine/cuda/kernels/types.h"

namespace zs::gpu {

// SIZE elements in device memory.
struct Span {
  void* data = nullptr;
  DType type = DType::kF32;
};
struct ConstSpan {
  const void* data = nullptr;
  DType type = DType::kF32;
};

// to = scale x from, or to += scale x from (in fp32, rounded once), whatever
// the two types. TO and FROM may be the same memory where the types are.
Status LaunchCopy(ConstSpan from, float scale, Span to, int64_t size,
                  cudaStream_t stream);
Status LaunchAdd(ConstSpan from, float scale, Span to, int64_t size,
                 cudaStream_t stream);

// Random bits that make numbers of [-1, 1), the same for the same seed: for
// timings and tests, which never run on zeros.
Status LaunchNoise(Span to, int64_t size, uint64_t seed, cudaStream_t stream);

// The tables of rotary embeddings: cos and sin of position x theta^(-2i/D),
// {positions, D/2} each, computed in double precision.
struct RotaryTables {
  float* cos = nullptr;
  float* sin = nullptr;
  int64_t positions = 0;
  int64_t head_size = 0;  // D
  double theta = 10000;
};
Status LaunchRotaryTables(const RotaryTables& args, cudaStream_t stream);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_KERNELS_ELEMENTWISE_H_
