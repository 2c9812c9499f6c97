// Matrix products on CPUs: the one place that calls a BLAS library.
//
// The library is oneDNN, whose kernels are made for the CPU at run time: on a
// Zen 5 core its sgemm reaches 190 to 205 GFLOP/s, as OpenBLAS does when it may
// choose its kernels, and twice what OpenBLAS does where OPENBLAS_CORETYPE
// pins it to AVX2 (85 to 104). docs/benchmarks.md has the figures.
#ifndef ENGINE_OPS_CPU_BLAS_H_
#define ENGINE_OPS_CPU_BLAS_H_

#include <cstdint>
#include <string>

#include "base/status.h"
#include "engine/ops/cpu/thread_pool.h"

namespace zs {

// C {m, n} = alpha x op(A) {m, k} op(B) {k, n} + beta x C, all row-major fp32;
// `a_stride` and the like are elements between the rows as stored.
struct MatrixProduct {
  bool a_transposed = false;  // A is stored {k, m}
  bool b_transposed = false;  // B is stored {n, k}
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  const float* a = nullptr;
  int64_t a_stride = 0;
  const float* b = nullptr;
  int64_t b_stride = 0;
  float* c = nullptr;
  int64_t c_stride = 0;
  float alpha = 1;
  float beta = 0;  // 0: C is not read
};

// On the calling thread alone.
void Multiply(const MatrixProduct& product);

// On all threads of POOL: C is cut into tiles that depend on the sizes and the
// number of threads alone.
void Multiply(const MatrixProduct& product, ThreadPool& pool);

// Multiplies two small matrices of integers, for which every sum is exact.
// kUnavailable says what came instead (a library without kernels for this CPU).
Status CheckBlas();

// "oneDNN 2.6.3".
std::string BlasName();

}  // namespace zs

#endif  // ENGINE_OPS_CPU_BLAS_H_
