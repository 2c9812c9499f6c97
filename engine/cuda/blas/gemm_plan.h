// The descriptors that cuBLASLt needs of a matrix product.
#ifndef ENGINE_CUDA_BLAS_GEMM_PLAN_H_
#define ENGINE_CUDA_BLAS_GEMM_PLAN_H_

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "engine/cuda/blas/gemm_shape.h"

namespace zs::gpu {

// OK, or "cuBLASLt: WHAT: NAME"; CUBLAS_STATUS_NOT_SUPPORTED is
// kUnimplemented, a library that cannot be set up kUnavailable.
Status ToStatus(cublasStatus_t status, const std::string& what);

// Owners of cuBLASLt's objects.
template <auto kDestroy>
struct CublasDestroyer {
  template <typename T>
  void operator()(T* p) const {
    (void)kDestroy(p);
  }
};
template <typename T, auto kDestroy>
using CublasOwner =
    std::unique_ptr<std::remove_pointer_t<T>, CublasDestroyer<kDestroy>>;
using CublasHandle = CublasOwner<cublasLtHandle_t, cublasLtDestroy>;
using CublasOperation =
    CublasOwner<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using CublasMatrix =
    CublasOwner<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using CublasPreference =
    CublasOwner<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

// A shape's descriptors and its algorithm. A row-major matrix is, to cuBLASLt,
// the column-major transposed one, so the operands are exchanged:
// d^T {n, m} = b^T {n, k} x a^T {k, m}.
struct GemmPlan {
  CublasOperation operation;
  CublasMatrix first;   // our b
  CublasMatrix second;  // our a
  CublasMatrix out;     // c and d
  cublasLtMatmulAlgo_t algorithm = {};
  size_t workspace_bytes = 0;
  uint32_t alignment = 16;  // of all pointers, at least
  std::string note;         // how the algorithm was chosen
};

// A plan without an algorithm.
Result<GemmPlan> MakeGemmPlan(const GemmShape& shape);

// Tells PLAN where bias and aux are.
Status BindEpilogue(const GemmShape& shape, const GemmData& data,
                    const GemmPlan& plan);

// What cuBLASLt may assume of all pointers: 16, or a smaller power of two.
uint32_t AlignmentOf(const GemmShape& shape, const GemmData& data);

// What is asked of an algorithm.
Result<CublasPreference> MakePreference(uint64_t workspace_bytes,
                                        uint32_t alignment);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_BLAS_GEMM_PLAN_H_
