#include <algorithm>

#include "engine/ops/layers/norm.h"

namespace zs {
namespace {

// Sums over rows are made in two steps: within blocks of kRowBlock rows, then
// over the blocks. PARTIAL {blocks, 2C} holds gain's, then bias's.
void AddPartials(CpuContext& cpu, const Tensor& partial,
                 const NormWeights& gradients) {
  const int64_t cols = partial.cols / 2;
  cpu.pool.For(cols, kColumnStrip, [&](int64_t begin, int64_t end) {
    for (int64_t block = 0; block < partial.rows; ++block) {
      const float* sums = partial.row(block) + begin;
      cpu.kernels.add(sums, gradients.gain.f32() + begin, end - begin);
      if (gradients.bias.present()) {
        cpu.kernels.add(sums + cols, gradients.bias.f32() + begin, end - begin);
      }
    }
  });
}

}  // namespace

void Norm(CpuContext& cpu, const NormWeights& weights, const NormInput& input,
          const Tensor& y) {
  cpu.pool.For(y.rows, kRowBlock / 4, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      float* stats = input.stats.row(r);
      if (weights.rms()) {
        stats[0] = 0;
        cpu.kernels.rmsnorm(input.x.row(r), weights.gain.f32(), weights.eps,
                            y.row(r), stats + 1, y.cols);
      } else {
        float* outputs[2] = {y.row(r), stats};
        cpu.kernels.layernorm(input.x.row(r), weights.gain.f32(),
                              weights.bias.f32(), weights.eps, outputs, y.cols);
      }
    }
  });
}

void NormBackward(CpuContext& cpu, const NormWeights& weights,
                  const NormInput& input, const Tensor& dy, const Tensor& dx,
                  const NormWeights& gradients) {
  const int64_t blocks = (dy.rows + kRowBlock - 1) / kRowBlock;
  const Tensor partial =
      View(cpu.workspace.Take(blocks * 2 * dy.cols), blocks, 2 * dy.cols);
  cpu.pool.Run(blocks, [&](int64_t block, int) {
    float* sums = partial.row(block);
    std::fill_n(sums, 2 * dy.cols, 0.0f);
    const int64_t end = std::min(dy.rows, (block + 1) * kRowBlock);
    for (int64_t r = block * kRowBlock; r < end; ++r) {
      const NormRowBackward row = {.x = input.x.row(r),
                                   .dy = dy.row(r),
                                   .gain = weights.gain.f32(),
                                   .stats = input.stats.row(r),
                                   .dx = dx.row(r),
                                   .dgain = sums,
                                   .dbias = sums + dy.cols,
                                   .n = dy.cols};
      if (weights.rms()) {
        cpu.kernels.rmsnorm_backward(row);
      } else {
        cpu.kernels.layernorm_backward(row);
      }
    }
  });
  AddPartials(cpu, partial, gradients);
}

}  // namespace zs
