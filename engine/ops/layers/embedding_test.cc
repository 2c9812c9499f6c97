#include "engine/ops/layers/embedding.h"

#include "engine/ops/operator_testing.h"

namespace zs::testing {
namespace {

class EmbeddingTest : public KernelsTest {
 protected:
  // Two sequences of five; a token occurs often, another never.
  const std::vector<int32_t> tokens_ = {3, 3, 0, 2, 3, 6, 6, 3, 2, 3};
  static constexpr int64_t kSeq = 5;
};

TEST_P(EmbeddingTest, ReadsAndAddsToTheRowsOfItsTokens) {
  for (int64_t cols : {1, 16, 19, 130, 257}) {
    for (bool learned : {false, true}) {
      const TestMatrix token = TestMatrix::Random(7, cols, 1);
      const TestMatrix position = TestMatrix::Random(kSeq + 1, cols, 2);
      TestMatrix y(10, cols, 1);
      Embedding(cpu_, tokens_.data(),
                {.token = token.view(),
                 .position = learned ? position.view() : Tensor{}},
                kSeq, y.view());
      const TestMatrix dy = TestMatrix::Random(10, cols, 3);
      TestMatrix d_token = TestMatrix::Random(7, cols, 4);
      TestMatrix d_position = TestMatrix::Random(kSeq + 1, cols, 5);
      const Doubles d = dy.doubles(), t = token.doubles();
      const Doubles p = position.doubles();
      Doubles expected(10 * cols), expected_token = d_token.doubles();
      Doubles expected_position = d_position.doubles();
      for (int64_t i = 0; i < 10 * cols; ++i) {
        const int64_t from = tokens_[i / cols] * cols + i % cols;
        const int64_t at = i / cols % kSeq * cols + i % cols;
        expected[i] = t[from] + (learned ? p[at] : 0);
        expected_token[from] += d[i];
        expected_position[at] += learned ? d[i] : 0;
      }
      ExpectClose(y, expected, 1e-7, "y");
      EmbeddingBackward(cpu_, tokens_.data(), dy.view(), kSeq,
                        {.token = d_token.view(),
                         .position = learned ? d_position.view() : Tensor{}});
      ExpectClose(d_token, expected_token, 1e-6, "token");
      ExpectClose(d_position, expected_position, 1e-6, "position");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, EmbeddingTest, AllKernels(), KernelsName);

}  // namespace
}  // namespace zs::testing
