// AdamW and the sum of squares.
#include "engine/ops/cpu/kernels/table.h"
#include "engine/ops/cpu/kernels/vec.h"

namespace zs::ZS_ISA {

// Independent elements: the compiler vectorizes this, square root and all.
void AdamW(const AdamWConstants& c, const float* __restrict gradients,
           float* __restrict parameters, float* __restrict m,
           float* __restrict v, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float g = gradients[i] * c.gradient_scale;
    const float m_new = c.beta1 * m[i] + c.one_minus_beta1 * g;
    const float v_new = c.beta2 * v[i] + c.one_minus_beta2 * g * g;
    m[i] = m_new;
    v[i] = v_new;
    const float root = __builtin_sqrtf(v_new) * c.inverse_sqrt_bias2 + c.eps;
    parameters[i] = parameters[i] * c.keep - c.step_size * m_new / root;
  }
}

double SquaredNorm(const float* x, int64_t n) {
  constexpr int64_t kHalf = kLanes / 2;
  HalfDoubles sum0{}, sum1{};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    HalfVec a, b;
    __builtin_memcpy(&a, x + i, sizeof(a));
    __builtin_memcpy(&b, x + i + kHalf, sizeof(b));
    const HalfDoubles wide_a = __builtin_convertvector(a, HalfDoubles);
    const HalfDoubles wide_b = __builtin_convertvector(b, HalfDoubles);
    sum0 += wide_a * wide_a;
    sum1 += wide_b * wide_b;
  }
  double total = 0;
  for (int64_t j = 0; j < kHalf; ++j) {
    total += sum0[j] + sum1[j];
  }
  for (; i < n; ++i) {
    total += static_cast<double>(x[i]) * x[i];
  }
  return total;
}

}  // namespace zs::ZS_ISA
