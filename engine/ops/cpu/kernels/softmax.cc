// Softmax with its backward pass, and cross-entropy.
#include "engine/ops/cpu/kernels/table.h"
#include "engine/ops/cpu/kernels/vec.h"

namespace zs::ZS_ISA {
namespace {

ZS_INLINE float MaxOf(const float* x, int64_t n) {
  Vec most = All(x[0]);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    most = Max(most, Load(x + i));
  }
  float result = MaxLane(most);
  for (; i < n; ++i) {
    result = x[i] > result ? x[i] : result;
  }
  return result;
}

// x = exp(x - most); returns the sum.
ZS_INLINE float ExpSum(float* x, float most, int64_t n) {
  Vec sum{};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vec e = Exp(Load(x + i) - All(most));
    Store(x + i, e);
    sum += e;
  }
  float total = Sum(sum);
  if (i < n) {
    StorePart(x + i, Exp(LoadPart(x + i, n - i) - All(most)), n - i);
    for (; i < n; ++i) {
      total += x[i];
    }
  }
  return total;
}

ZS_INLINE void Scale(float* x, float factor, int64_t n) {
  ForVectors(n, [=](int64_t i, auto load, auto store) {
    store(x + i, load(x + i) * All(factor));
  });
}

}  // namespace

float Softmax(float* x, int64_t n) {
  const float most = MaxOf(x, n);
  const float sum = ExpSum(x, most, n);
  Scale(x, 1.0f / sum, n);
  return most + __builtin_logf(sum);
}

void SoftmaxBackward(float* p, float* dp, const float lse_delta_scale[3],
                     int64_t n) {
  const Vec lse = All(lse_delta_scale[0]), delta = All(lse_delta_scale[1]);
  const Vec scale = All(lse_delta_scale[2]);
  ForVectors(n, [=](int64_t i, auto load, auto store) {
    const Vec probability = Exp(load(p + i) - lse);
    store(p + i, probability);
    store(dp + i, probability * (load(dp + i) - delta) * scale);
  });
}

float CrossEntropy(float* x, int64_t n, int64_t target, float scale) {
  const float most = MaxOf(x, n);
  const float target_logit = x[target];
  const float sum = ExpSum(x, most, n);
  if (scale != 0) {
    Scale(x, scale / sum, n);
    x[target] -= scale;
  }
  return __builtin_logf(sum) + (most - target_logit);
}

}  // namespace zs::ZS_ISA
