// AdamW over a range of parameters, and the norm that clips its gradients,
// without the host ever waiting.
#ifndef ENGINE_CUDA_KERNELS_OPTIMIZER_H_
#define ENGINE_CUDA_KERNELS_OPTIMIZER_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/status.h"
#include "engine/cuda/kernels/types.h"

namespace zs::gpu {

// One step of AdamW (Loshchilov and Hutter 2019), g = scale x *factor x grad:
//   m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
//   master -= lr x weight_decay x master
//   master -= lr x (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + eps)
//   parameters = master, rounded
// A factor that is not finite leaves everything as it is.
struct AdamW {
  float* master = nullptr;     // {size}
  float* m = nullptr;          // {size}
  float* v = nullptr;          // {size}
  const void* grad = nullptr;  // {size} of grad_type
  DType grad_type = DType::kF32;
  Bf16* parameters = nullptr;     // {size}; null: not written
  const float* factor = nullptr;  // in device memory; null: 1
  int64_t size = 0;
  int64_t step = 1;  // from 1
  double lr = 0;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0;
  double scale = 1;
};
Status LaunchAdamW(const AdamW& args, cudaStream_t stream);

// *out = the sum of the squares of x (or of x itself), in double precision and
// in an order that depends on SIZE alone; added to *out where ADD is set.
struct Sum {
  const void* x = nullptr;  // {size} of type
  DType type = DType::kF32;
  int64_t size = 0;
  bool squares = true;
  bool add = false;
  double* out = nullptr;      // one, in device memory
  double* scratch = nullptr;  // kSumScratch
};
constexpr int64_t kSumScratch = 264;  // doubles
Status LaunchSum(const Sum& args, cudaStream_t stream);

// norm = scale x sqrt(*squares); factor = what gradients, scaled, are to be
// multiplied with so that their norm is at most max_norm (0: no limit); NaN
// where the norm is not finite.
struct Clip {
  const double* squares = nullptr;  // in device memory, like the outputs
  double scale = 1;
  double max_norm = 0;
  float* norm = nullptr;
  float* factor = nullptr;
};
Status LaunchClip(const Clip& args, cudaStream_t stream);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_KERNELS_OPTIMIZER_H_
