#include "engine/ops/layers/norm.h"

#include "engine/ops/operator_testing.h"

namespace zs::testing {
namespace {

struct Sizes {
  int64_t rows, cols;
};
constexpr Sizes kSizes[] = {{1, 1},  {2, 3},   {5, 15}, {3, 16},
                            {4, 17}, {67, 33}, {2, 64}, {130, 5}};

Doubles Reference(bool rms, int64_t cols, double eps, const Doubles& x,
                  const Doubles& gain, const Doubles& bias) {
  Doubles y(x.size());
  for (size_t start = 0; start < x.size(); start += cols) {
    double mean = 0, square = 0;
    for (int64_t c = 0; c < cols; ++c) {
      mean += rms ? 0 : x[start + c] / static_cast<double>(cols);
    }
    for (int64_t c = 0; c < cols; ++c) {
      square += std::pow(x[start + c] - mean, 2) / static_cast<double>(cols);
    }
    for (int64_t c = 0; c < cols; ++c) {
      y[start + c] = (x[start + c] - mean) / std::sqrt(square + eps) * gain[c] +
                     (rms ? 0 : bias[c]);
    }
  }
  return y;
}

// Inputs, outputs and the gradients that a norm adds to.
struct Case {
  Case(bool is_rms, const Sizes& size)
      : rms(is_rms),
        x(TestMatrix::Random(size.rows, size.cols, 1, -2, 3, 5)),
        gain(TestMatrix::Random(1, size.cols, 2)),
        bias(TestMatrix::Random(1, size.cols, 3)),
        dy(TestMatrix::Random(size.rows, size.cols, 4, -1, 1, 2)),
        y(size.rows, size.cols, 1),
        stats(size.rows, 2),
        dx(TestMatrix::Random(size.rows, size.cols, 5, -1, 1, 3)),
        dgain(TestMatrix::Random(1, size.cols, 6)),
        dbias(TestMatrix::Random(1, size.cols, 7)) {}

  NormWeights Weights() const {
    return {
        .gain = gain.view(), .bias = rms ? Tensor{} : bias.view(), .eps = kEps};
  }
  NormWeights Gradients() const {
    return {.gain = dgain.view(), .bias = rms ? Tensor{} : dbias.view()};
  }
  NormInput Input() const { return {.x = x.view(), .stats = stats.view()}; }

  Doubles Expected(const Doubles& at_x, const Doubles& at_gain,
                   const Doubles& at_bias) const {
    return Reference(rms, x.cols(), kEps, at_x, at_gain, at_bias);
  }

  static constexpr float kEps = 1e-2f;
  bool rms;
  TestMatrix x, gain, bias, dy, y, stats, dx, dgain, dbias;
};

class NormTest : public KernelsTest {};

TEST_P(NormTest, ForwardAgreesWithDoublePrecision) {
  for (bool rms : {false, true}) {
    for (const Sizes& size : kSizes) {
      Case c(rms, size);
      Norm(cpu_, c.Weights(), c.Input(), c.y.view());
      ExpectClose(c.y,
                  c.Expected(c.x.doubles(), c.gain.doubles(), c.bias.doubles()),
                  2e-6, "y");
    }
  }
}

TEST_P(NormTest, BackwardAgreesWithDifferences) {
  for (bool rms : {false, true}) {
    for (const Sizes& size : kSizes) {
      Case c(rms, size);
      const Doubles x = c.x.doubles(), gain = c.gain.doubles();
      const Doubles bias = c.bias.doubles(), dy = c.dy.doubles();
      const Doubles dx = c.dx.doubles(), dgain = c.dgain.doubles();
      const Doubles dbias = c.dbias.doubles();
      Norm(cpu_, c.Weights(), c.Input(), c.y.view());
      NormBackward(cpu_, c.Weights(), c.Input(), c.dy.view(), c.dx.view(),
                   c.Gradients());
      const auto by_x = [&](const Doubles& at) {
        return DotOf(c.Expected(at, gain, bias), dy);
      };
      const auto by_gain = [&](const Doubles& at) {
        return DotOf(c.Expected(x, at, bias), dy);
      };
      const auto by_bias = [&](const Doubles& at) {
        return DotOf(c.Expected(x, gain, at), dy);
      };
      ExpectClose(c.dx, SumOf(dx, Differences(by_x, x)), 5e-6, "dx");
      ExpectClose(c.dgain, SumOf(dgain, Differences(by_gain, gain)), 5e-6,
                  "dgain");
      ExpectClose(c.dbias,
                  rms ? dbias : SumOf(dbias, Differences(by_bias, bias)), 5e-6,
                  "dbias");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, NormTest, AllKernels(), KernelsName);

}  // namespace
}  // namespace zs::testing
