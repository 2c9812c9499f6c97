#include "engine/ops/cpu/blas.h"

#include <cmath>
#include <cstring>
#include <random>
#include <tuple>
#include <vector>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

std::vector<float> Random(int64_t size, int seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(size);
  for (float& value : values) {
    value = uniform(generator);
  }
  return values;
}

// A product with strides wider than its rows, and what it must give.
struct Case {
  MatrixProduct p;
  std::vector<float> a, b, c;

  Case(bool ta, bool tb, int64_t m, int64_t n, int64_t k) {
    p = {.a_transposed = ta, .b_transposed = tb, .m = m, .n = n, .k = k};
    p.a_stride = (ta ? m : k) + 3;
    p.b_stride = (tb ? k : n) + 5;
    p.c_stride = n + 1;
    p.alpha = 0.5f;
    p.beta = 1;
    a = Random((ta ? k : m) * p.a_stride, 1);
    b = Random((tb ? n : k) * p.b_stride, 2);
    c = Random(m * p.c_stride, 3);
    p.a = a.data();
    p.b = b.data();
    p.c = c.data();
  }

  double Expected(int64_t i, int64_t j, float before) const {
    double sum = 0;
    for (int64_t l = 0; l < p.k; ++l) {
      const float x =
          a[p.a_transposed ? l * p.a_stride + i : i * p.a_stride + l];
      const float y =
          b[p.b_transposed ? j * p.b_stride + l : l * p.b_stride + j];
      sum += static_cast<double>(x) * y;
    }
    return 0.5 * sum + before;
  }
};

class BlasTest
    : public ::testing::TestWithParam<std::tuple<bool, bool, int, int>> {};

TEST_P(BlasTest, AgreesWithDoublePrecision) {
  const auto [ta, tb, threads, size] = GetParam();
  ThreadPool pool(threads);
  Case test(ta, tb, size, 2 * size + 1, size + 13);
  const std::vector<float> before = test.c;
  Multiply(test.p, pool);
  for (int64_t i = 0; i < test.p.m; ++i) {
    for (int64_t j = 0; j < test.p.n; ++j) {
      const int64_t at = i * test.p.c_stride + j;
      ASSERT_NEAR(test.c[at], test.Expected(i, j, before[at]), 2e-5)
          << i << "," << j;
    }
    const int64_t beyond = i * test.p.c_stride + test.p.n;
    ASSERT_EQ(test.c[beyond], before[beyond]) << "row " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BlasTest,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Bool(),
                                            ::testing::Values(1, 2, 3),
                                            ::testing::Values(1, 17, 64, 131)));

TEST(BlasRepeatTest, GivesTheSameBitsWhereverOperandsLie) {
  ThreadPool pool(2);
  Case first(false, true, 96, 130, 77);
  const std::vector<float> before = first.c;
  Multiply(first.p, pool);
  for (int64_t shift : {0, 1, 5, 16}) {
    Case again(false, true, 96, 130, 77);
    again.a.insert(again.a.begin(), shift, 0.0f);
    again.p.a = again.a.data() + shift;
    Multiply(again.p, pool);
    EXPECT_EQ(std::memcmp(again.c.data(), first.c.data(),
                          first.c.size() * sizeof(float)),
              0)
        << shift;
  }
}

TEST(CheckBlasTest, PassesHere) {
  EXPECT_OK(CheckBlas());
  EXPECT_EQ(BlasName().rfind("oneDNN ", 0), 0u);
}

}  // namespace
}  // namespace zs
