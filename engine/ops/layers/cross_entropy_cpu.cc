#include "engine/ops/layers/cross_entropy.h"

namespace zs {

void CrossEntropy(CpuContext& cpu, const Tensor& logits, const int32_t* targets,
                  float scale, float* losses) {
  cpu.pool.For(logits.rows, kRowBlock / 16, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      losses[r] = cpu.kernels.cross_entropy(logits.row(r), logits.cols,
                                            targets[r], scale);
    }
  });
}

}  // namespace zs
