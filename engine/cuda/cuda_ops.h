// The operators on one NVIDIA GPU: activations and weights in bf16, gradients
// of weights and statistics in fp32, fp32 accumulation everywhere.
#ifndef ENGINE_CUDA_CUDA_OPS_H_
#define ENGINE_CUDA_CUDA_OPS_H_

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "engine/ops/ops.h"

namespace zs::gpu {

struct CudaOpsOptions {
  int device = 0;
  // The same bits every time: cuBLASLt's own recommendations instead of timed
  // algorithms, and cuDNN's deterministic backward pass.
  bool deterministic = false;
  std::string gemm_cache_path;  // of timed algorithms; empty: none is kept
};

// What CudaOps has beyond Ops.
class CudaOps : public Ops {
 public:
  // All operators run on it, one after the other.
  virtual cudaStream_t stream() const = 0;

  // How products and attention are computed, a line each; for the log.
  virtual std::string Describe() const = 0;
};

// Makes DEVICE the calling thread's device; the operators are to be called from
// that thread. kUnavailable where there is no such device, or its driver or a
// library is too old; the message says which.
Result<std::unique_ptr<CudaOps>> MakeCudaOps(const CudaOpsOptions& options);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_CUDA_OPS_H_
