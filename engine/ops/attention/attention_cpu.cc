#include <algorithm>
#include <cmath>

#include "engine/ops/attention/attention.h"
#include "engine/ops/cpu/blas.h"

namespace zs {
namespace {

// Queries [begin, begin + rows) of one head of one sequence, which see keys
// [0, end).
struct Block {
  int64_t sequence = 0;
  int64_t head = 0;
  int64_t begin = 0;
  int64_t rows = 0;
  int64_t end() const { return begin + rows; }
};

class HeadAttention {
 public:
  HeadAttention(const Kernels& kernels, const AttentionShape& shape,
                const AttentionTensors& tensors)
      : kernels_(kernels),
        shape_(shape),
        t_(tensors),
        scale_(1.0f / std::sqrt(static_cast<float>(shape.head_size))) {}

  // SCORES: scratch {rows, end}.
  void Forward(const Block& block, float* scores) const {
    Scores(Query(t_.q, block), Keys(t_.k, block), scale_, scores);
    const int64_t end = block.end();
    float* lse = Lse(block);
    for (int64_t r = 0; r < block.rows; ++r) {
      float* row = scores + r * end;
      const int64_t seen = block.begin + r + 1;
      lse[r] = kernels_.softmax(row, seen);
      std::fill(row + seen, row + end, 0.0f);
    }
    Product(View(scores, block.rows, end), Keys(t_.v, block),
            Query(t_.out, block));
  }

  // P, DS: scratch {rows, end}. FIRST: nothing was added to the gradients of k
  // and v yet.
  void Backward(const Block& block, const Tensor& dout_all,
                const AttentionTensors& gradients, float* p, float* ds,
                bool first) const {
    const Tensor q = Query(t_.q, block), k = Keys(t_.k, block);
    const Tensor dout = Query(dout_all, block);
    Scores(q, k, scale_, p);
    Scores(dout, Keys(t_.v, block), 1.0f, ds);
    SoftmaxBackward(block, dout, p, ds);
    const int64_t end = block.end();
    const Tensor p_view = View(p, block.rows, end);
    const Tensor ds_view = View(ds, block.rows, end);
    Product(ds_view, k, Query(gradients.q, block));
    AddTransposed(ds_view, q, Keys(gradients.k, block), first);
    AddTransposed(p_view, dout, Keys(gradients.v, block), first);
  }

 private:
  // The rows of a block of a tensor with query heads.
  Tensor Query(const Tensor& t, const Block& block) const {
    return Columns(
        Rows(t, block.sequence * shape_.seq_len + block.begin, block.rows),
        block.head * shape_.head_size, shape_.head_size);
  }

  // The rows that a block sees of a tensor with key/value heads.
  Tensor Keys(const Tensor& t, const Block& block) const {
    const int64_t head = block.head / (shape_.heads / shape_.kv_heads);
    return Columns(Rows(t, block.sequence * shape_.seq_len, block.end()),
                   head * shape_.head_size, shape_.head_size);
  }

  float* Lse(const Block& block) const {
    return t_.lse.row(block.sequence * shape_.heads + block.head) + block.begin;
  }

  // From scores and the products of dout with v to probabilities and the
  // scores' gradients; 0 above the diagonal.
  void SoftmaxBackward(const Block& block, const Tensor& dout, float* p,
                       float* ds) const {
    const Tensor out = Query(t_.out, block);
    const float* lse = Lse(block);
    const int64_t end = block.end();
    for (int64_t r = 0; r < block.rows; ++r, p += end, ds += end) {
      const float delta =
          kernels_.dot(out.row(r), dout.row(r), shape_.head_size);
      const float constants[3] = {lse[r], delta, scale_};
      const int64_t seen = block.begin + r + 1;
      kernels_.softmax_backward(p, ds, constants, seen);
      std::fill(p + seen, p + end, 0.0f);
      std::fill(ds + seen, ds + end, 0.0f);
    }
  }

  // c {a.rows, b.rows} = scale a b^T.
  static void Scores(const Tensor& a, const Tensor& b, float scale, float* c) {
    Multiply({.b_transposed = true,
              .m = a.rows,
              .n = b.rows,
              .k = a.cols,
              .a = a.f32(),
              .a_stride = a.stride,
              .b = b.f32(),
              .b_stride = b.stride,
              .c = c,
              .c_stride = b.rows,
              .alpha = scale});
  }

  // c = a b.
  static void Product(const Tensor& a, const Tensor& b, const Tensor& c) {
    Multiply({.m = a.rows,
              .n = b.cols,
              .k = b.rows,
              .a = a.f32(),
              .a_stride = a.stride,
              .b = b.f32(),
              .b_stride = b.stride,
              .c = c.f32(),
              .c_stride = c.stride});
  }

  // c += a^T b, or = where OVERWRITE.
  static void AddTransposed(const Tensor& a, const Tensor& b, const Tensor& c,
                            bool overwrite) {
    Multiply({.a_transposed = true,
              .m = c.rows,
              .n = c.cols,
              .k = a.rows,
              .a = a.f32(),
              .a_stride = a.stride,
              .b = b.f32(),
              .b_stride = b.stride,
              .c = c.f32(),
              .c_stride = c.stride,
              .beta = overwrite ? 0.0f : 1.0f});
  }

  const Kernels& kernels_;
  const AttentionShape& shape_;
  const AttentionTensors& t_;
  const float scale_;
};

int64_t QueryBlocks(const AttentionShape& shape) {
  return (shape.seq_len + kQueryBlock - 1) / kQueryBlock;
}

// The INDEX-th block of a head, the last queries, which see most, first.
Block MakeBlock(const AttentionShape& shape, int64_t sequence, int64_t head,
                int64_t index) {
  const int64_t begin = (QueryBlocks(shape) - 1 - index) * kQueryBlock;
  return {.sequence = sequence,
          .head = head,
          .begin = begin,
          .rows = std::min(kQueryBlock, shape.seq_len - begin)};
}

}  // namespace

void Attention(CpuContext& cpu, const AttentionShape& shape,
               const AttentionTensors& tensors) {
  const HeadAttention attention(cpu.kernels, shape, tensors);
  const int64_t scratch = kQueryBlock * shape.seq_len;
  float* scores = cpu.workspace.Take(2 * scratch * cpu.pool.threads());
  const int64_t heads = shape.batch * shape.heads;
  cpu.pool.Run(heads * QueryBlocks(shape), [&](int64_t task, int thread) {
    const int64_t head = task % heads;
    attention.Forward(
        MakeBlock(shape, head / shape.heads, head % shape.heads, task / heads),
        scores + thread * scratch);
  });
}

// A task has a key/value head to itself, with all queries that read it.
void AttentionBackward(CpuContext& cpu, const AttentionShape& shape,
                       const AttentionTensors& tensors, const Tensor& dout,
                       const AttentionTensors& gradients) {
  const HeadAttention attention(cpu.kernels, shape, tensors);
  const int64_t scratch = kQueryBlock * shape.seq_len;
  float* all = cpu.workspace.Take(2 * scratch * cpu.pool.threads());
  const int64_t group = shape.heads / shape.kv_heads;
  const int64_t tasks = shape.batch * shape.kv_heads;
  cpu.pool.Run(tasks, [&](int64_t task, int thread) {
    float* p = all + 2 * scratch * thread;
    bool first = true;
    for (int64_t member = 0; member < group; ++member) {
      const int64_t head = task % shape.kv_heads * group + member;
      for (int64_t index = 0; index < QueryBlocks(shape); ++index) {
        attention.Backward(MakeBlock(shape, task / shape.kv_heads, head, index),
                           dout, gradients, p, p + scratch, first);
        first = false;
      }
    }
  });
}

}  // namespace zs
