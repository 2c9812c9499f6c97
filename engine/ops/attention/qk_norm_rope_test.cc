#include "engine/ops/attention/qk_norm_rope.h"

#include "engine/ops/operator_testing.h"

namespace zs::testing {
namespace {

constexpr double kEps = 1e-2;

// Two sequences of `seq_len`, six heads of which two are keys'.
struct Case {
  Case(bool with_norm, bool with_rotation, int64_t head_size, int64_t seq_len)
      : shape{.batch = 2,
              .seq_len = seq_len,
              .heads = 4,
              .kv_heads = 2,
              .head_size = head_size},
        norm(with_norm),
        rotation(with_rotation),
        qkv(TestMatrix::Random(2 * seq_len, 8 * head_size, 1, -1, 2, 3)),
        q_gain(TestMatrix::Random(1, head_size, 2)),
        k_gain(TestMatrix::Random(1, head_size, 3)),
        cos(seq_len, head_size / 2),
        sin(seq_len, head_size / 2),
        stats(2 * seq_len, 6) {
    for (int64_t i = 0; i < seq_len * (head_size / 2); ++i) {
      const double angle = 0.3 * static_cast<double>(i % 97) + 0.1;
      cos.data()[i] = static_cast<float>(std::cos(angle));
      sin.data()[i] = static_cast<float>(std::sin(angle));
    }
  }

  QkTransform Transform() const {
    return {.q_gain = norm ? q_gain.view() : Tensor{},
            .k_gain = norm ? k_gain.view() : Tensor{},
            .eps = static_cast<float>(kEps),
            .cos = rotation ? cos.view() : Tensor{},
            .sin = rotation ? sin.view() : Tensor{}};
  }
  QkInput Input() const {
    return {.qkv = qkv.view(), .stats = norm ? stats.view() : Tensor{}};
  }

  // The first six heads of each row of AT {tokens, 8 D}.
  Doubles Reference(const Doubles& at, const Doubles& q,
                    const Doubles& k) const {
    const int64_t d = shape.head_size, half = d / 2;
    const Doubles c = cos.doubles(), s = sin.doubles();
    Doubles y;
    for (int64_t row = 0; row < shape.tokens(); ++row) {
      for (int64_t head = 0; head < 6; ++head) {
        Doubles x(at.begin() + (row * 8 + head) * d,
                  at.begin() + (row * 8 + head + 1) * d);
        const double square = DotOf(x, x) / static_cast<double>(d);
        for (int64_t i = 0; i < d && norm; ++i) {
          x[i] = x[i] / std::sqrt(square + kEps) * (head < 4 ? q : k)[i];
        }
        const Doubles before = x;
        for (int64_t i = 0; i < half && rotation; ++i) {
          const int64_t angle = row % shape.seq_len * half + i;
          x[i] = before[i] * c[angle] - before[i + half] * s[angle];
          x[i + half] = before[i + half] * c[angle] + before[i] * s[angle];
        }
        y.insert(y.end(), x.begin(), x.end());
      }
    }
    return y;
  }

  AttentionShape shape;
  bool norm, rotation;
  TestMatrix qkv, q_gain, k_gain, cos, sin, stats;
};

class QkNormRopeTest : public KernelsTest {
 protected:
  void Check(const Case& c) {
    const int64_t d = c.shape.head_size, tokens = c.shape.tokens();
    const Doubles x = c.qkv.doubles();
    const Doubles q = c.q_gain.doubles(), k = c.k_gain.doubles();
    TestMatrix qk(tokens, 6 * d, 1);
    QkNormRope(cpu_, c.shape, c.Transform(), c.Input(), qk.view());
    ExpectClose(qk, c.Reference(x, q, k), 2e-6, "qk");

    TestMatrix dqkv = TestMatrix::Random(tokens, 8 * d, 4, -1, 1, 2);
    TestMatrix dq = TestMatrix::Random(1, d, 5),
               dk = TestMatrix::Random(1, d, 6);
    const Doubles dq_before = dq.doubles(), dk_before = dk.doubles();
    const Doubles all = dqkv.doubles();
    Doubles dy;
    for (int64_t row = 0; row < tokens; ++row) {
      dy.insert(dy.end(), all.begin() + row * 8 * d,
                all.begin() + (row * 8 + 6) * d);
    }
    QkNormRopeBackward(cpu_, c.shape, c.Transform(), c.Input(), dqkv.view(),
                       {.q_gain = dq.view(), .k_gain = dk.view()});
    Doubles expected = Differences(
        [&](const Doubles& at) { return DotOf(c.Reference(at, q, k), dy); }, x);
    for (int64_t i = 0; i < tokens * 8 * d; ++i) {
      expected[i] =
          i % (8 * d) < 6 * d ? expected[i] : all[i];  // v is not ours
    }
    ExpectClose(dqkv, expected, 5e-6, "dqkv");
    const auto by_q = [&](const Doubles& at) {
      return DotOf(c.Reference(x, at, k), dy);
    };
    const auto by_k = [&](const Doubles& at) {
      return DotOf(c.Reference(x, q, at), dy);
    };
    ExpectClose(dq, SumOf(dq_before, Differences(by_q, q)), 5e-6, "q gain");
    ExpectClose(dk, SumOf(dk_before, Differences(by_k, k)), 5e-6, "k gain");
  }
};

TEST_P(QkNormRopeTest, NormAndRotationAgreeWithDifferences) {
  Check(Case(true, true, 2, 3));
  Check(Case(true, true, 6, 2));
  Check(Case(true, false, 5, 2));
  Check(Case(false, true, 10, 2));
  Check(Case(true, true, 2, 35));  // more rows than a block of partial sums
}

TEST_P(QkNormRopeTest, RotatesInPlace) {
  Case c(false, true, 34, 3);
  const Doubles expected = c.Reference(c.qkv.doubles(), {}, {});
  const Tensor qk = Columns(c.qkv.view(), 0, 6 * 34);
  QkNormRope(cpu_, c.shape, c.Transform(), c.Input(), qk);
  for (int64_t i = 0; i < static_cast<int64_t>(expected.size()); ++i) {
    ASSERT_NEAR(qk.row(i / 204)[i % 204], expected[i], 1e-6) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, QkNormRopeTest, AllKernels(), KernelsName);

}  // namespace
}  // namespace zs::testing
