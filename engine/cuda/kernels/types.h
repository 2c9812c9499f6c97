// Element types of device memory, for host code and kernels alike.
#ifndef ENGINE_CUDA_KERNELS_TYPES_H_
#define ENGINE_CUDA_KERNELS_TYPES_H_

#include <cstdint>

#include "engine/ops/tensor.h"

namespace zs::gpu {

// The upper half of an IEEE binary32. Arithmetic on it is done in fp32.
struct Bf16 {
  uint16_t bits;
};

// Where the gradient of a parameter goes.
struct Grad {
  void* data = nullptr;
  DType type = DType::kF32;
  bool accumulate = true;  // add to what is there; false overwrites it
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_KERNELS_TYPES_H_
