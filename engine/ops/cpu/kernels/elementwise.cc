// GELU, SwiGLU and plain sums.
#include "engine/ops/cpu/kernels/table.h"
#include "engine/ops/cpu/kernels/vec.h"

namespace zs::ZS_ISA {
namespace {

// gelu(x) = x s(2u), s the logistic function, since (1 + tanh(u)) / 2 = s(2u);
// 2u = x (a + b x^2), a = 2 sqrt(2/pi), b = 0.044715 a.
constexpr float kA = 1.5957691216057308f;
constexpr float kB = 0.07135481282553435f;

// exp(-x), at most about 2^126 so that its products stay finite.
ZS_INLINE Vec ExpOfMinus(Vec x) {
  const Vec low = All(-87.0f);
  return Exp(-(x < low ? low : x));
}

ZS_INLINE Vec GeluOf(Vec x) {
  const Vec e = ExpOfMinus(x * (All(kA) + All(kB) * x * x));
  return x / (All(1.0f) + e);
}

// s + x s (1 - s) (a + 3 b x^2), where 1 - s = e s.
ZS_INLINE Vec GeluDerivative(Vec x) {
  const Vec square = x * x;
  const Vec e = ExpOfMinus(x * (All(kA) + All(kB) * square));
  const Vec s = All(1.0f) / (All(1.0f) + e);
  return s + x * s * (e * s) * (All(kA) + All(3 * kB) * square);
}

}  // namespace

void ExpRange(const float* x, float* y, int64_t n) {
  ForVectors(n, [=](int64_t i, auto load, auto store) {
    store(y + i, Exp(load(x + i)));
  });
}

void Gelu(const float* x, float* y, int64_t n) {
  ForVectors(n, [=](int64_t i, auto load, auto store) {
    store(y + i, GeluOf(load(x + i)));
  });
}

void GeluBackward(const float* x, const float* dy, float* dx, int64_t n) {
  ForVectors(n, [=](int64_t i, auto load, auto store) {
    store(dx + i, load(dy + i) * GeluDerivative(load(x + i)));
  });
}

void SwiGlu(const float* gate, const float* up, float* y, int64_t n) {
  ForVectors(n, [=](int64_t i, auto load, auto store) {
    const Vec g = load(gate + i);
    store(y + i, g / (All(1.0f) + ExpOfMinus(g)) * load(up + i));
  });
}

// silu'(g) = s + g s (1 - s).
void SwiGluBackward(const float* gate_up, const float* dy, float* d_gate_up,
                    int64_t n) {
  ForVectors(n, [=](int64_t i, auto load, auto store) {
    const Vec g = load(gate_up + i);
    const Vec d = load(dy + i);
    const Vec e = ExpOfMinus(g);
    const Vec s = All(1.0f) / (All(1.0f) + e);
    const Vec up = load(gate_up + n + i);
    store(d_gate_up + i, d * up * (s + g * s * (e * s)));
    store(d_gate_up + n + i, d * g * s);
  });
}

void Add(const float* x, float* y, int64_t n) {
  ForVectors(n, [=](int64_t i, auto load, auto store) {
    store(y + i, load(y + i) + load(x + i));
  });
}

void SumOf(const float* x, const float* y, float* z, int64_t n) {
  ForVectors(n, [=](int64_t i, auto load, auto store) {
    store(z + i, load(x + i) + load(y + i));
  });
}

float Dot(const float* x, const float* y, int64_t n) {
  Vec sum{};
  ForVectors(
      n, [&](int64_t i, auto load, auto) { sum += load(x + i) * load(y + i); });
  return Sum(sum);
}

}  // namespace zs::ZS_ISA
