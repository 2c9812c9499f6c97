#include "engine/cuda/blas/gemm_shape.h"

#include <sstream>

namespace zs::gpu {

std::string GemmShape::ToString() const {
  std::ostringstream text;
  text << "m=" << m << " n=" << n << " k=" << k
       << " a=" << (a_transposed ? "t" : "n") << a_stride
       << " b=" << (b_transposed ? "t" : "n") << b_stride
       << " d=" << (d_type == DType::kF32 ? "f32/" : "bf16/") << d_stride
       << " beta=" << beta << " epilogue=" << static_cast<int>(epilogue);
  return text.str();
}

GemmShape ForwardShape(int64_t rows, int64_t in, int64_t out) {
  return {.m = rows,
          .n = out,
          .k = in,
          .b_transposed = true,
          .a_stride = in,
          .b_stride = in,
          .d_stride = out};
}

GemmShape InputGradShape(int64_t rows, int64_t in, int64_t out) {
  return {.m = rows,
          .n = in,
          .k = out,
          .a_stride = out,
          .b_stride = in,
          .d_stride = in};
}

GemmShape WeightGradShape(int64_t rows, int64_t in, int64_t out, DType type,
                          bool accumulate) {
  return {.m = out,
          .n = in,
          .k = rows,
          .a_transposed = true,
          .a_stride = out,
          .b_stride = in,
          .d_stride = in,
          .d_type = type,
          .beta = accumulate ? 1.0f : 0.0f};
}

}  // namespace zs::gpu
