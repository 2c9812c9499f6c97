#include <cstring>

#include "engine/ops/layers/embedding.h"

namespace zs {

void Embedding(CpuContext& cpu, const int32_t* tokens,
               const EmbeddingTables& tables, int64_t seq_len,
               const Tensor& y) {
  cpu.pool.For(y.rows, kRowBlock, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float* token = tables.token.row(tokens[r]);
      if (tables.position.present()) {
        cpu.kernels.sum(token, tables.position.row(r % seq_len), y.row(r),
                        y.cols);
      } else {
        std::memcpy(y.row(r), token,
                    static_cast<size_t>(y.cols) * sizeof(float));
      }
    }
  });
}

// Each task owns some columns and goes through all rows in order.
void EmbeddingBackward(CpuContext& cpu, const int32_t* tokens, const Tensor& dy,
                       int64_t seq_len, const EmbeddingTables& gradients) {
  cpu.pool.For(dy.cols, kColumnStrip, [&](int64_t begin, int64_t end) {
    for (int64_t r = 0; r < dy.rows; ++r) {
      const float* from = dy.row(r) + begin;
      cpu.kernels.add(from, gradients.token.row(tokens[r]) + begin,
                      end - begin);
      if (gradients.position.present()) {
        cpu.kernels.add(from, gradients.position.row(r % seq_len) + begin,
                        end - begin);
      }
    }
  });
}

}  // namespace zs
