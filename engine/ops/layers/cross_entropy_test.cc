#include "engine/ops/layers/cross_entropy.h"

#include <numeric>

#include "engine/ops/operator_testing.h"

namespace zs::testing {
namespace {

Doubles Losses(const Doubles& logits, int64_t vocab,
               const std::vector<int32_t>& targets) {
  Doubles losses;
  for (size_t r = 0; r < targets.size(); ++r) {
    double sum = 0;
    for (int64_t c = 0; c < vocab; ++c) {
      sum += std::exp(logits[r * vocab + c]);
    }
    losses.push_back(std::log(sum) - logits[r * vocab + targets[r]]);
  }
  return losses;
}

class CrossEntropyTest : public KernelsTest {};

TEST_P(CrossEntropyTest, LossAndGradientAgreeWithDifferences) {
  for (int64_t vocab : {1, 2, 15, 16, 17, 50, 129}) {
    const int64_t rows = 7;
    TestMatrix logits = TestMatrix::Random(rows, vocab, 1, -4, 4, 3);
    std::vector<int32_t> targets;
    for (int64_t r = 0; r < rows; ++r) {
      targets.push_back(static_cast<int32_t>(r * 5 % vocab));
    }
    const Doubles before = logits.doubles();
    const Doubles expected = Losses(before, vocab, targets);
    TestMatrix losses(1, rows);
    CrossEntropy(cpu_, logits.view(), targets.data(), 0.25f,
                 losses.data().data());
    // A loss of one class is 0.
    for (int64_t r = 0; r < rows; ++r) {
      EXPECT_NEAR(losses.data()[r], expected[r], 2e-6) << vocab;
    }
    const auto total = [&](const Doubles& at) {
      const Doubles each = Losses(at, vocab, targets);
      return 0.25 * std::accumulate(each.begin(), each.end(), 0.0);
    };
    const Doubles gradient = Differences(total, before);
    for (size_t i = 0; i < gradient.size(); ++i) {
      EXPECT_NEAR(logits.doubles()[i], gradient[i], 1e-7) << vocab;
    }
    EXPECT_TRUE(logits.PaddingIsUntouched());
  }
}

TEST_P(CrossEntropyTest, LargeLogitsDoNotOverflow) {
  TestMatrix logits(1, 40);
  logits.data().assign(40, -9000);
  logits.data()[3] = 9000;
  logits.data()[39] = 9000;
  const int32_t target = 3;
  float loss = 0;
  CrossEntropy(cpu_, logits.view(), &target, 1.0f, &loss);
  EXPECT_NEAR(loss, std::log(2.0), 1e-6);
  EXPECT_NEAR(logits.data()[3], -0.5, 1e-6);
  EXPECT_NEAR(logits.data()[39], 0.5, 1e-6);
  EXPECT_EQ(logits.data()[0], 0);
}

TEST_P(CrossEntropyTest, NanGivesNan) {
  for (int64_t at : {0, 5, 20}) {
    TestMatrix logits = TestMatrix::Random(1, 21, 1);
    logits.data()[at] = NAN;
    const int32_t target = 2;
    float loss = 0;
    CrossEntropy(cpu_, logits.view(), &target, 1.0f, &loss);
    EXPECT_TRUE(std::isnan(loss)) << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, CrossEntropyTest, AllKernels(), KernelsName);

}  // namespace
}  // namespace zs::testing
