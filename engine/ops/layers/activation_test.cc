#include "engine/ops/layers/activation.h"

#include <numbers>

#include "engine/ops/operator_testing.h"

namespace zs::testing {
namespace {

double GeluOf(double x) {
  const double u = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(u));
}

double SiluOf(double x) {
  return x / (1 + std::exp(-x));
}

double Derivative(double (*f)(double), double x) {
  constexpr double kStep = 1e-5;
  return (f(x + kStep) - f(x - kStep)) / (2 * kStep);
}

// Rows that are shorter and longer than a vector; values over all of the
// functions' bends.
constexpr int64_t kCols[] = {1, 7, 15, 16, 17, 33, 100};

class ActivationTest : public KernelsTest {};

TEST_P(ActivationTest, GeluAndItsDerivative) {
  for (int64_t cols : kCols) {
    const TestMatrix x = TestMatrix::Random(9, cols, 1, -6, 6, 3);
    TestMatrix y(9, cols, 1);
    TestMatrix d = TestMatrix::Random(9, cols, 2, -1, 1, 2);
    Doubles expected = x.doubles(), derivative = d.doubles();
    for (size_t i = 0; i < expected.size(); ++i) {
      derivative[i] *= Derivative(GeluOf, expected[i]);
      expected[i] = GeluOf(expected[i]);
    }
    Gelu(cpu_, x.view(), y.view());
    ExpectClose(y, expected, 3e-7, "y");
    GeluBackward(cpu_, x.view(), d.view(), d.view());  // in place
    ExpectClose(d, derivative, 1e-6, "dx");
  }
}

TEST_P(ActivationTest, GeluIsRelativelyAccurateAndFiniteFarOut) {
  TestMatrix x(1, 9);
  x.data() = {-1e4f, -300, -5, -0.01f, 0, 0.01f, 5, 300, 1e4f};
  TestMatrix y(1, 9);
  Gelu(cpu_, x.view(), y.view());
  for (size_t i = 0; i < 9; ++i) {
    const double expected = GeluOf(x.data()[i]);
    // What tanh's rounding leaves below -5 is noise in the formula itself.
    const double tolerance = 1e-6 * std::abs(expected) + 1e-12;
    EXPECT_NEAR(y.data()[i], expected, tolerance) << x.data()[i];
  }
  TestMatrix d(1, 9);
  d.data().assign(9, 1.0f);
  GeluBackward(cpu_, x.view(), d.view(), d.view());
  EXPECT_NEAR(d.data()[0], 0, 1e-20);
  EXPECT_EQ(d.data()[8], 1);
  EXPECT_EQ(d.data()[4], 0.5f);
}

TEST_P(ActivationTest, SwiGluAndItsDerivatives) {
  for (int64_t cols : kCols) {
    const TestMatrix x = TestMatrix::Random(9, 2 * cols, 1, -6, 6, 3);
    const TestMatrix dy = TestMatrix::Random(9, cols, 2, -1, 1, 2);
    TestMatrix y(9, cols, 1), dx(9, 2 * cols, 4);
    const Doubles in = x.doubles(), d = dy.doubles();
    Doubles expected, derivative(in.size());
    for (int64_t i = 0; i < 9 * cols; ++i) {
      const int64_t gate = i / cols * 2 * cols + i % cols;
      const int64_t up = gate + cols;
      expected.push_back(SiluOf(in[gate]) * in[up]);
      derivative[gate] = d[i] * in[up] * Derivative(SiluOf, in[gate]);
      derivative[up] = d[i] * SiluOf(in[gate]);
    }
    SwiGlu(cpu_, x.view(), y.view());
    ExpectClose(y, expected, 3e-7, "y");
    SwiGluBackward(cpu_, x.view(), dy.view(), dx.view());
    ExpectClose(dx, derivative, 1e-6, "dx");
  }
}

TEST_P(ActivationTest, NanStaysNan) {
  TestMatrix x(1, 3);
  x.data() = {1, NAN, 2};
  TestMatrix y(1, 3);
  Gelu(cpu_, x.view(), y.view());
  EXPECT_TRUE(std::isnan(y.data()[1]));
  EXPECT_FALSE(std::isnan(y.data()[2]));
}

INSTANTIATE_TEST_SUITE_P(Isa, ActivationTest, AllKernels(), KernelsName);

}  // namespace
}  // namespace zs::testing
