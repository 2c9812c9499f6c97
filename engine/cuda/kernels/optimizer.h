// AdamW over a range of parameters, and the norm that clips its gradients,
// without the host ever waiting.
#ifndef ENGINE_CUDA_KERNELS_OPTIMIZER_H_
#define ENGINE_CUDA_KERNELS_OPTIMIZER_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/status.h"
#include "engine/cuda/kernels/types.h"
#include "engine/ops/op_types.h"

namespace zs::gpu {

// One step of AdamW (Loshchilov and Hutter 2019), g = *scale x grad:
//   m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
//   master -= lr x weight_decay x master
//   master -= lr x (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + eps)
//   parameters = master, rounded
// A scale that is not finite leaves everything as it is.
struct AdamW {
  float* master = nullptr;     // {size}
  float* m = nullptr;          // {size}
  float* v = nullptr;          // {size}
  const void* grad = nullptr;  // {size} of grad_type
  DType grad_type = DType::kF32;
  Bf16* parameters = nullptr;     // {size}; null: not written
  const double* scale = nullptr;  // in device memory; null: 1
  int64_t size = 0;
  int64_t step = 1;  // from 1
  double lr = 0;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0;
};
Status LaunchAdamW(const AdamW& args, cudaStream_t stream);

// *out = scale x the sum of the squares of x (or of x itself), in double
// precision and in an order that depends on SIZE alone; added to *out where ADD
// is set.
struct Sum {
  const void* x = nullptr;  // {size} of type
  DType type = DType::kF32;
  int64_t size = 0;
  bool squares = true;
  bool add = false;
  double scale = 1;
  double* out = nullptr;      // one, in device memory
  double* scratch = nullptr;  // kSumScratch
};
constexpr int64_t kSumScratch = 264;  // doubles
Status LaunchSum(const Sum& args, cudaStream_t stream);

// *out from PARTS {ranks, each}, both in device memory; see Ops::SumStep. The
// order of the sums depends on ranks x each alone.
struct SumParts {
  const double* parts = nullptr;
  int ranks = 1;
  int64_t each = 1;
  double max_norm = 0;  // 0: no limit
  StepSums* out = nullptr;
};
Status LaunchSumStep(const SumParts& args, cudaStream_t stream);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_KERNELS_OPTIMIZER_H_
