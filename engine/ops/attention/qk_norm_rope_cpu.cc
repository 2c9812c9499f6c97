#include <algorithm>
#include <cstring>

#include "engine/ops/attention/qk_norm_rope.h"

namespace zs {
namespace {

// Transforms one row: all heads of q and k of one token.
class RowTransform {
 public:
  RowTransform(const Kernels& kernels, const AttentionShape& shape,
               const QkTransform& transform)
      : kernels_(kernels), shape_(shape), transform_(transform) {}

  void Forward(const QkInput& input, int64_t row, const Tensor& qk) const {
    for (int64_t head = 0; head < heads(); ++head) {
      const float* x = input.qkv.row(row) + head * size();
      float* y = qk.row(row) + head * size();
      if (transform_.norm()) {
        kernels_.rmsnorm(x, Gain(transform_, head), transform_.eps, y,
                         input.stats.row(row) + head, size());
        x = y;
      }
      if (transform_.rotate()) {
        Rotate(row, x, 1.0f, y);
      } else if (x != y) {
        std::memcpy(y, x, static_cast<size_t>(size()) * sizeof(float));
      }
    }
  }

  // DY: the row's gradients, in place. SUMS {3 x size}: q's, then k's gain,
  // then scratch.
  void Backward(const QkInput& input, int64_t row, float* dy,
                float* sums) const {
    float* dx = sums + 2 * size();
    for (int64_t head = 0; head < heads(); ++head, dy += size()) {
      if (transform_.rotate()) {
        Rotate(row, dy, -1.0f, dy);
      }
      if (!transform_.norm()) {
        continue;
      }
      const float stats[2] = {0, input.stats.row(row)[head]};
      std::fill_n(dx, size(), 0.0f);
      kernels_.rmsnorm_backward({.x = input.qkv.row(row) + head * size(),
                                 .dy = dy,
                                 .gain = Gain(transform_, head),
                                 .stats = stats,
                                 .dx = dx,
                                 .dgain = sums + (IsQuery(head) ? 0 : size()),
                                 .dbias = nullptr,
                                 .n = size()});
      std::memcpy(dy, dx, static_cast<size_t>(size()) * sizeof(float));
    }
  }

 private:
  int64_t size() const { return shape_.head_size; }
  int64_t heads() const { return shape_.heads + shape_.kv_heads; }
  bool IsQuery(int64_t head) const { return head < shape_.heads; }

  const float* Gain(const QkTransform& transform, int64_t head) const {
    return (IsQuery(head) ? transform.q_gain : transform.k_gain).f32();
  }

  void Rotate(int64_t row, const float* x, float sign, float* y) const {
    const int64_t position = row % shape_.seq_len;
    const float* angles[2] = {transform_.cos.row(position),
                              transform_.sin.row(position)};
    kernels_.rotate(x, angles, sign, y, size() / 2);
  }

  const Kernels& kernels_;
  const AttentionShape& shape_;
  const QkTransform& transform_;
};

}  // namespace

void QkNormRope(CpuContext& cpu, const AttentionShape& shape,
                const QkTransform& transform, const QkInput& input,
                const Tensor& qk) {
  const RowTransform rows(cpu.kernels, shape, transform);
  cpu.pool.For(shape.tokens(), kRowBlock / 4, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      rows.Forward(input, r, qk);
    }
  });
}

void QkNormRopeBackward(CpuContext& cpu, const AttentionShape& shape,
                        const QkTransform& transform, const QkInput& input,
                        const Tensor& dqkv, const QkTransform& gradients) {
  const RowTransform rows(cpu.kernels, shape, transform);
  const int64_t tokens = shape.tokens(), size = shape.head_size;
  const int64_t blocks = (tokens + kRowBlock - 1) / kRowBlock;
  float* partial = cpu.workspace.Take(blocks * 3 * size);
  cpu.pool.Run(blocks, [&](int64_t block, int) {
    float* sums = partial + block * 3 * size;
    std::fill_n(sums, 2 * size, 0.0f);
    const int64_t end = std::min(tokens, (block + 1) * kRowBlock);
    for (int64_t r = block * kRowBlock; r < end; ++r) {
      rows.Backward(input, r, dqkv.row(r), sums);
    }
  });
  for (int64_t block = 0; transform.norm() && block < blocks; ++block) {
    const float* sums = partial + block * 3 * size;
    cpu.kernels.add(sums, gradients.q_gain.f32(), size);
    cpu.kernels.add(sums + size, gradients.k_gain.f32(), size);
  }
}

}  // namespace zs
