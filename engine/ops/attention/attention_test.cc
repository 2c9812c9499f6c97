#include "engine/ops/attention/attention.h"

#include "engine/ops/operator_testing.h"

namespace zs::testing {
namespace {

// Columns of q, k and v in the packed matrix that the tests use.
struct Packing {
  explicit Packing(const AttentionShape& shape)
      : q(shape.q_cols()), kv(shape.kv_cols()) {}
  int64_t total() const { return q + 2 * kv; }
  int64_t q, kv;
};

// Attention in double precision over packed q, k, v.
Doubles Reference(const AttentionShape& s, const Doubles& qkv) {
  const Packing packing(s);
  const int64_t d = s.head_size;
  const auto at = [&](int64_t row, int64_t col) {
    return qkv[row * packing.total() + col];
  };
  Doubles out(s.tokens() * packing.q);
  for (int64_t row = 0; row < s.tokens(); ++row) {
    const int64_t first = row / s.seq_len * s.seq_len;
    for (int64_t head = 0; head < s.heads; ++head) {
      const int64_t k = packing.q + head / (s.heads / s.kv_heads) * d;
      Doubles weights;
      double sum = 0;
      for (int64_t key = first; key <= row; ++key) {
        double score = 0;
        for (int64_t i = 0; i < d; ++i) {
          score += at(row, head * d + i) * at(key, k + i);
        }
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(d))));
        sum += weights.back();
      }
      for (int64_t key = first; key <= row; ++key) {
        for (int64_t i = 0; i < d; ++i) {
          out[row * packing.q + head * d + i] +=
              weights[key - first] / sum * at(key, k + packing.kv + i);
        }
      }
    }
  }
  return out;
}

AttentionTensors Views(const AttentionShape& shape, const TestMatrix& qkv,
                       const TestMatrix& out, const TestMatrix& lse) {
  const Packing p(shape);
  return {.q = Columns(qkv.view(), 0, p.q),
          .k = Columns(qkv.view(), p.q, p.kv),
          .v = Columns(qkv.view(), p.q + p.kv, p.kv),
          .out = out.view(),
          .lse = lse.view()};
}

class AttentionTest : public KernelsTest {};

TEST_P(AttentionTest, ForwardAgreesWithDoublePrecision) {
  for (int64_t seq_len : {1, 63, 64, 65, 150}) {
    const AttentionShape shape = {.batch = 2,
                                  .seq_len = seq_len,
                                  .heads = 4,
                                  .kv_heads = 2,
                                  .head_size = 10};
    const Packing p(shape);
    const TestMatrix qkv =
        TestMatrix::Random(shape.tokens(), p.total(), 1, -2, 2, 3);
    TestMatrix out(shape.tokens(), p.q, 1), lse(8, seq_len);
    Attention(cpu_, shape, Views(shape, qkv, out, lse));
    ExpectClose(out, Reference(shape, qkv.doubles()), 3e-6, "out");
  }
}

TEST_P(AttentionTest, BackwardAgreesWithDifferences) {
  struct {
    int64_t seq_len, heads, kv_heads, head_size;
  } cases[] = {{1, 1, 1, 1}, {5, 3, 3, 4}, {9, 4, 1, 3}, {66, 2, 1, 2}};
  for (const auto& c : cases) {
    const AttentionShape shape = {.batch = c.seq_len < 60 ? 2 : 1,
                                  .seq_len = c.seq_len,
                                  .heads = c.heads,
                                  .kv_heads = c.kv_heads,
                                  .head_size = c.head_size};
    const Packing p(shape);
    const TestMatrix qkv = TestMatrix::Random(shape.tokens(), p.total(), 1);
    const TestMatrix dout = TestMatrix::Random(shape.tokens(), p.q, 2);
    TestMatrix out(shape.tokens(), p.q, 1);
    TestMatrix lse(shape.batch * shape.heads, shape.seq_len);
    TestMatrix dqkv(shape.tokens(), p.total(), 2);
    const AttentionTensors tensors = Views(shape, qkv, out, lse);
    Attention(cpu_, shape, tensors);
    AttentionBackward(cpu_, shape, tensors, dout.view(),
                      Views(shape, dqkv, out, lse));
    const Doubles d = dout.doubles();
    const auto f = [&](const Doubles& at) {
      return DotOf(Reference(shape, at), d);
    };
    ExpectClose(dqkv, Differences(f, qkv.doubles()), 5e-6, "dqkv");
  }
}

// A key that comes later must not be seen, whatever it holds.
TEST_P(AttentionTest, TheFutureChangesNothing) {
  const AttentionShape shape = {
      .batch = 1, .seq_len = 70, .heads = 2, .kv_heads = 1, .head_size = 8};
  const Packing p(shape);
  TestMatrix qkv = TestMatrix::Random(70, p.total(), 1);
  TestMatrix before(70, p.q), after(70, p.q), lse(2, 70);
  Attention(cpu_, shape, Views(shape, qkv, before, lse));
  for (int64_t col = 0; col < p.total(); ++col) {
    qkv.view().row(69)[col] = 50;
  }
  Attention(cpu_, shape, Views(shape, qkv, after, lse));
  for (int64_t i = 0; i < 69 * p.q; ++i) {
    ASSERT_EQ(before.data()[i], after.data()[i]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, AttentionTest, AllKernels(), KernelsName);

}  // namespace
}  // namespace zs::testing
