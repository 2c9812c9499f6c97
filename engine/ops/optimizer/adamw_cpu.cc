#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/ops/optimizer/adamw.h"

namespace zs {
namespace {

// Elements that a task takes at once: 64 KiB of each array.
constexpr int64_t kGrain = 16384;

AdamWConstants Constants(const AdamWStep& step, double gradient_scale) {
  const auto t = static_cast<double>(step.step);
  const double bias1 = 1 - std::pow(step.beta1, t);
  const double bias2 = 1 - std::pow(step.beta2, t);
  return {.beta1 = static_cast<float>(step.beta1),
          .one_minus_beta1 = static_cast<float>(1 - step.beta1),
          .beta2 = static_cast<float>(step.beta2),
          .one_minus_beta2 = static_cast<float>(1 - step.beta2),
          .step_size = static_cast<float>(step.lr / bias1),
          .inverse_sqrt_bias2 = static_cast<float>(1 / std::sqrt(bias2)),
          .eps = static_cast<float>(step.eps),
          .keep = static_cast<float>(1 - step.lr * step.weight_decay),
          .gradient_scale = static_cast<float>(gradient_scale)};
}

}  // namespace

void AdamW(CpuContext& cpu, const AdamWStep& step, const AdamWRange& range) {
  const double scale =
      step.gradient_scale == nullptr ? 1.0 : *step.gradient_scale;
  if (!std::isfinite(scale)) {
    return;
  }
  const AdamWConstants constants = Constants(step, scale);
  cpu.pool.For(range.size, kGrain, [&](int64_t begin, int64_t end) {
    cpu.kernels.adamw(constants, range.gradients + begin,
                      range.parameters + begin, range.m + begin,
                      range.v + begin, end - begin);
  });
}

double SquaredNorm(CpuContext& cpu, const float* x, int64_t size) {
  std::vector<double> sums((size + kGrain - 1) / kGrain);
  cpu.pool.For(size, kGrain, [&](int64_t begin, int64_t end) {
    sums[begin / kGrain] = cpu.kernels.squared_norm(x + begin, end - begin);
  });
  double total = 0;
  for (double sum : sums) {
    total += sum;
  }
  return total;
}

StepSums SumStep(const double* parts, int ranks, int64_t each,
                 double max_norm) {
  StepSums sums;
  double squares = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const double* of_rank = parts + rank * each;
    sums.loss += of_rank[0];
    for (int64_t i = 1; i < each; ++i) {
      squares += of_rank[i];
    }
  }
  sums.grad_norm = std::sqrt(squares);
  if (!std::isfinite(sums.loss) || !std::isfinite(sums.grad_norm)) {
    sums.clip = std::numeric_limits<double>::quiet_NaN();
  } else if (max_norm > 0) {
    sums.clip = std::min(1.0, max_norm / (sums.grad_norm + 1e-6));
  }
  return sums;
}

}  // namespace zs
