// Matrix products of bf16 matrices with fp32 accumulation, by cuBLASLt.
#ifndef ENGINE_CUDA_BLAS_GEMM_H_
#define ENGINE_CUDA_BLAS_GEMM_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "engine/cuda/blas/gemm_shape.h"

namespace zs::gpu {

struct GemmOptions {
  size_t workspace_bytes = size_t{64} << 20;
  // Times the candidates when a shape is first seen, the best of them at steady
  // power, and keeps the fastest; otherwise, and where there is no memory for a
  // second result, takes what cuBLASLt recommends.
  bool tune = true;
  // Of the algorithms found; empty: none is kept. What is wrong with the file
  // is told by Report and stops nothing.
  std::string cache_path;
};

// Runs products on one device. The first product of a shape chooses its
// algorithm; with `tune` it waits for the stream and takes up to a second.
// Work of one Gemms must be on one stream at a time, since all of it shares one
// workspace. Not thread-safe.
class Gemms {
 public:
  // kUnavailable where cuBLASLt cannot be set up.
  static Result<std::unique_ptr<Gemms>> Create(const GemmOptions& options);
  ~Gemms();
  Gemms(const Gemms&) = delete;
  Gemms& operator=(const Gemms&) = delete;

  // kUnimplemented, naming the shape, where cuBLASLt offers no algorithm.
  Status Run(const GemmShape& shape, const GemmData& data, cudaStream_t stream);

  // One line a shape in use: its name, candidates, which was taken and why, and
  // its time beside that of cuBLASLt's first recommendation.
  std::string Report() const;

  size_t workspace_bytes() const;

 private:
  class Impl;
  explicit Gemms(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_BLAS_GEMM_H_
