// What the tests of operators share: random inputs, comparison with double
// precision, and derivatives by central differences.
#ifndef ENGINE_OPS_OPERATOR_TESTING_H_
#define ENGINE_OPS_OPERATOR_TESTING_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "engine/ops/cpu/cpu_context.h"
#include "engine/ops/tensor.h"
#include "gtest/gtest.h"

namespace zs::testing {

using Doubles = std::vector<double>;

// A matrix of floats with a double of each element. Rows lie `cols + pad`
// apart; the padding holds a value that no operator may touch.
class TestMatrix {
 public:
  static constexpr float kPoison = 12345.0f;

  TestMatrix(int64_t rows, int64_t cols, int64_t pad = 0)
      : rows_(rows), cols_(cols), stride_(cols + pad) {
    data_.assign(rows * stride_, kPoison);
  }

  // Uniform in [low, high).
  static TestMatrix Random(int64_t rows, int64_t cols, int seed,
                           double low = -1, double high = 1, int64_t pad = 0) {
    TestMatrix m(rows, cols, pad);
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> uniform(static_cast<float>(low),
                                                  static_cast<float>(high));
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < cols; ++c) {
        m.data_[r * m.stride_ + c] = uniform(generator);
      }
    }
    return m;
  }

  Tensor view() const {
    Tensor t = View(data_.data(), rows_, cols_);
    t.stride = stride_;
    return t;
  }
  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  std::vector<float>& data() { return data_; }

  // Without the padding.
  Doubles doubles() const {
    Doubles values;
    for (int64_t r = 0; r < rows_; ++r) {
      values.insert(values.end(), data_.begin() + r * stride_,
                    data_.begin() + r * stride_ + cols_);
    }
    return values;
  }

  bool PaddingIsUntouched() const {
    for (int64_t i = 0; i < rows_ * stride_; ++i) {
      if (i % stride_ >= cols_ && data_[i] != kPoison) {
        return false;
      }
    }
    return true;
  }

 private:
  int64_t rows_, cols_, stride_;
  std::vector<float> data_;
};

// ACTUAL against EXPECTED, to TOLERANCE of the largest expected magnitude.
inline void ExpectClose(const TestMatrix& actual, const Doubles& expected,
                        double tolerance, const std::string& what) {
  const Doubles values = actual.doubles();
  ASSERT_EQ(values.size(), expected.size()) << what;
  double largest = 1e-30;
  for (double e : expected) {
    largest = std::max(largest, std::abs(e));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], expected[i], tolerance * largest)
        << what << ", element " << i << " of " << values.size();
  }
  EXPECT_TRUE(actual.PaddingIsUntouched()) << what;
}

// The gradient of F at X by central differences, in double precision: exact to
// about 1e-9 of F's scale.
inline Doubles Differences(const std::function<double(const Doubles&)>& f,
                           Doubles x) {
  constexpr double kStep = 1e-5;
  Doubles gradient(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const double middle = x[i];
    x[i] = middle + kStep;
    const double above = f(x);
    x[i] = middle - kStep;
    gradient[i] = (above - f(x)) / (2 * kStep);
    x[i] = middle;
  }
  return gradient;
}

inline double DotOf(const Doubles& a, const Doubles& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

// a + b, element by element.
inline Doubles SumOf(Doubles a, const Doubles& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] += b[i];
  }
  return a;
}

// Runs a test with the kernels of each instruction set that this CPU has.
class KernelsTest : public ::testing::TestWithParam<const Kernels*> {
 protected:
  CpuContext cpu_{3, *GetParam()};
};

inline auto AllKernels() {
  const KernelList list = RunnableKernels();
  return ::testing::ValuesIn(list.items, list.items + list.count);
}

inline std::string KernelsName(
    const ::testing::TestParamInfo<const Kernels*>& info) {
  return info.param->name;
}

}  // namespace zs::testing

#endif  // ENGINE_OPS_OPERATOR_TESTING_H_
