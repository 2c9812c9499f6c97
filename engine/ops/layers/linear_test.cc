#include "engine/ops/layers/linear.h"

#include "engine/ops/operator_testing.h"

namespace zs::testing {
namespace {

struct Sizes {
  int64_t n, in, out;
};
constexpr Sizes kSizes[] = {{1, 1, 1}, {3, 17, 5}, {67, 16, 33}, {65, 40, 130}};

Doubles Reference(const Sizes& s, const Doubles& x, const Doubles& w,
                  const Doubles& bias) {
  Doubles y;
  for (int64_t i = 0; i < s.n * s.out; ++i) {
    double sum = bias.empty() ? 0 : bias[i % s.out];
    for (int64_t k = 0; k < s.in; ++k) {
      sum += x[i / s.out * s.in + k] * w[i % s.out * s.in + k];
    }
    y.push_back(sum);
  }
  return y;
}

class LinearTest : public KernelsTest {};

TEST_P(LinearTest, AddsBiasAndResidualWherePresent) {
  for (const Sizes& s : kSizes) {
    const TestMatrix x = TestMatrix::Random(s.n, s.in, 1, -1, 1, 3);
    const TestMatrix w = TestMatrix::Random(s.out, s.in, 2);
    const TestMatrix bias = TestMatrix::Random(1, s.out, 3);
    const TestMatrix residual = TestMatrix::Random(s.n, s.out, 4, -1, 1, 2);
    for (int mask = 0; mask < 4; ++mask) {
      const bool with_bias = (mask & 1) != 0, with_residual = (mask & 2) != 0;
      TestMatrix y(s.n, s.out, 1);
      Linear(cpu_, x.view(), w.view(),
             {.bias = with_bias ? bias.view() : Tensor{},
              .residual = with_residual ? residual.view() : Tensor{}},
             y.view());
      Doubles expected = Reference(s, x.doubles(), w.doubles(),
                                   with_bias ? bias.doubles() : Doubles{});
      if (with_residual) {
        expected = SumOf(expected, residual.doubles());
      }
      ExpectClose(y, expected, 2e-6, "y");
    }
  }
}

// The product is linear in each operand, so that differences are exact.
TEST_P(LinearTest, BackwardAgreesWithDifferences) {
  for (const Sizes& s : {Sizes{1, 1, 1}, Sizes{3, 17, 5}, Sizes{21, 4, 9}}) {
    const TestMatrix x = TestMatrix::Random(s.n, s.in, 1, -1, 1, 3);
    const TestMatrix w = TestMatrix::Random(s.out, s.in, 2);
    const TestMatrix dy = TestMatrix::Random(s.n, s.out, 3, -1, 1, 1);
    TestMatrix dx(s.n, s.in, 2);
    TestMatrix dw = TestMatrix::Random(s.out, s.in, 4);
    TestMatrix dbias = TestMatrix::Random(1, s.out, 5);
    const Doubles dw_before = dw.doubles(), dbias_before = dbias.doubles();
    const Doubles d = dy.doubles(), bias(s.out, 0.0);
    LinearBackwardInput(cpu_, dy.view(), w.view(), dx.view());
    LinearBackwardWeight(cpu_, dy.view(), x.view(), dw.view(), dbias.view());
    const auto by_x = [&](const Doubles& at) {
      return DotOf(Reference(s, at, w.doubles(), bias), d);
    };
    const auto by_w = [&](const Doubles& at) {
      return DotOf(Reference(s, x.doubles(), at, bias), d);
    };
    const auto by_bias = [&](const Doubles& at) {
      return DotOf(Reference(s, x.doubles(), w.doubles(), at), d);
    };
    ExpectClose(dx, Differences(by_x, x.doubles()), 2e-6, "dx");
    ExpectClose(dw, SumOf(dw_before, Differences(by_w, w.doubles())), 2e-6,
                "dw");
    ExpectClose(dbias, SumOf(dbias_before, Differences(by_bias, bias)), 2e-6,
                "dbias");
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, LinearTest, AllKernels(), KernelsName);

}  // namespace
}  // namespace zs::testing
