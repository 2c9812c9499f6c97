// LayerNorm, RMSNorm and the rotation of heads.
#include "engine/ops/cpu/kernels/table.h"
#include "engine/ops/cpu/kernels/vec.h"

namespace zs::ZS_ISA {
namespace {

ZS_INLINE float InverseSqrt(float x) {
  return 1.0f / __builtin_sqrtf(x);
}

ZS_INLINE float Mean(const float* x, int64_t n) {
  Vec sum{};
  ForVectors(n, [&](int64_t i, auto load, auto) { sum += load(x + i); });
  return Sum(sum) / static_cast<float>(n);
}

ZS_INLINE float MeanSquare(const float* x, int64_t n) {
  Vec sum{};
  ForVectors(n, [&](int64_t i, auto load, auto) {
    const Vec v = load(x + i);
    sum += v * v;
  });
  return Sum(sum) / static_cast<float>(n);
}

// The second pass over the row is exact where one pass would cancel.
ZS_INLINE float Variance(const float* x, float mean, int64_t n) {
  Vec sum{};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vec v = Load(x + i) - All(mean);
    sum += v * v;
  }
  float total = Sum(sum);
  for (; i < n; ++i) {
    total += (x[i] - mean) * (x[i] - mean);
  }
  return total / static_cast<float>(n);
}

}  // namespace

void LayerNorm(const float* x, const float* gain, const float* bias, float eps,
               float* y_then_stats[2], int64_t n) {
  const float mean = Mean(x, n);
  const float rstd = InverseSqrt(Variance(x, mean, n) + eps);
  float* y = y_then_stats[0];
  ForVectors(n, [=](int64_t i, auto load, auto store) {
    const Vec normal = (load(x + i) - All(mean)) * All(rstd);
    store(y + i, normal * load(gain + i) + load(bias + i));
  });
  y_then_stats[1][0] = mean;
  y_then_stats[1][1] = rstd;
}

void RmsNorm(const float* x, const float* gain, float eps, float* y,
             float* rstd, int64_t n) {
  const float r = InverseSqrt(MeanSquare(x, n) + eps);
  ForVectors(n, [=](int64_t i, auto load, auto store) {
    store(y + i, load(x + i) * All(r) * load(gain + i));
  });
  *rstd = r;
}

// With h = (x - mean) rstd and g = dy gain:
//   dx = rstd (g - mean(g) - h mean(g h)),  dgain = dy h,  dbias = dy.
void LayerNormBackward(const NormRowBackward& row) {
  const float *x = row.x, *dy = row.dy, *gain = row.gain;
  float *dx = row.dx, *dgain = row.dgain, *dbias = row.dbias;
  const Vec mean = All(row.stats[0]), rstd = All(row.stats[1]);
  Vec sum_g{}, sum_gh{};
  ForVectors(row.n, [&](int64_t i, auto load, auto store) {
    const Vec h = (load(x + i) - mean) * rstd;
    const Vec d = load(dy + i);
    const Vec g = d * load(gain + i);
    sum_g += g;
    sum_gh += g * h;
    store(dgain + i, load(dgain + i) + d * h);
    store(dbias + i, load(dbias + i) + d);
  });
  const Vec mean_g = All(Sum(sum_g) / static_cast<float>(row.n));
  const Vec mean_gh = All(Sum(sum_gh) / static_cast<float>(row.n));
  ForVectors(row.n, [&](int64_t i, auto load, auto store) {
    const Vec h = (load(x + i) - mean) * rstd;
    const Vec g = load(dy + i) * load(gain + i);
    store(dx + i, load(dx + i) + rstd * (g - mean_g - h * mean_gh));
  });
}

// As above without the mean.
void RmsNormBackward(const NormRowBackward& row) {
  const float *x = row.x, *dy = row.dy, *gain = row.gain;
  float *dx = row.dx, *dgain = row.dgain;
  const Vec rstd = All(row.stats[1]);
  Vec sum_gh{};
  ForVectors(row.n, [&](int64_t i, auto load, auto store) {
    const Vec h = load(x + i) * rstd;
    const Vec d = load(dy + i);
    sum_gh += d * load(gain + i) * h;
    store(dgain + i, load(dgain + i) + d * h);
  });
  const Vec mean_gh = All(Sum(sum_gh) / static_cast<float>(row.n));
  ForVectors(row.n, [&](int64_t i, auto load, auto store) {
    const Vec h = load(x + i) * rstd;
    const Vec g = load(dy + i) * load(gain + i);
    store(dx + i, load(dx + i) + rstd * (g - h * mean_gh));
  });
}

void Rotate(const float* x, const float* cos_then_sin[2], float sign, float* y,
            int64_t half) {
  const float *cos = cos_then_sin[0], *sin = cos_then_sin[1];
  ForVectors(half, [=](int64_t i, auto load, auto store) {
    const Vec c = load(cos + i), s = load(sin + i) * All(sign);
    const Vec a = load(x + i), b = load(x + half + i);
    store(y + i, a * c - b * s);
    store(y + half + i, b * c + a * s);
  });
}

}  // namespace zs::ZS_ISA
