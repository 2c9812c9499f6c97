// What a matrix product is, as plain data.
#ifndef ENGINE_CUDA_BLAS_GEMM_SHAPE_H_
#define ENGINE_CUDA_BLAS_GEMM_SHAPE_H_

#include <compare>
#include <cstdint>
#include <string>

#include "engine/cuda/kernels/types.h"

namespace zs::gpu {

// What is done to the sums before they are stored.
enum class Epilogue {
  kNone,
  kBias,      // + bias[column]
  kGelu,      // aux = sum; gelu(sum), tanh form
  kGeluBias,  // aux = sum + bias[column]; gelu(aux)
  kDGelu,     // sum x gelu'(aux)
};

// d {m, n} = epilogue(a {m, k} x b {k, n} + beta x c {m, n}); all row-major.
struct GemmShape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool a_transposed = false;  // a is stored as {k, m}
  bool b_transposed = false;  // b is stored as {n, k}
  int64_t a_stride = 0;       // elements from stored row to stored row
  int64_t b_stride = 0;
  int64_t d_stride = 0;         // of c, d and aux
  DType d_type = DType::kBF16;  // of c and d
  float beta = 0;               // 0 or 1
  Epilogue epilogue = Epilogue::kNone;

  // "m=8192 n=2048 ...": names the shape in files and messages.
  std::string ToString() const;
  auto operator<=>(const GemmShape&) const = default;
};

// The three products of a linear layer y {rows, out} = x {rows, in} w^T with
// contiguous matrices: forward, dx = dy w, dw (+)= dy^T x.
GemmShape ForwardShape(int64_t rows, int64_t in, int64_t out);
GemmShape InputGradShape(int64_t rows, int64_t in, int64_t out);
GemmShape WeightGradShape(int64_t rows, int64_t in, int64_t out, DType type,
                          bool accumulate);

// Device memory. The fastest algorithms need 16-byte alignment.
struct GemmData {
  const Bf16* a = nullptr;
  const Bf16* b = nullptr;
  const void* c = nullptr;  // with beta; may be d
  void* d = nullptr;
  const Bf16* bias = nullptr;  // {n}
  Bf16* aux = nullptr;         // {m, n}: written by kGelu and kGeluBias, read
                               // by kDGelu
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_BLAS_GEMM_SHAPE_H_
