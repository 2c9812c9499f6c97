#include "engine/ops/optimizer/adamw.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "engine/ops/operator_testing.h"

namespace zs::testing {
namespace {

struct State {
  explicit State(int64_t size)
      : p(TestMatrix::Random(1, size, 1)),
        g(TestMatrix::Random(1, size, 2)),
        m(TestMatrix::Random(1, size, 3, -0.1, 0.1)),
        v(TestMatrix::Random(1, size, 4, 0, 0.1)) {}

  AdamWRange Range(int64_t begin, int64_t count) {
    return {.parameters = p.data().data() + begin,
            .gradients = g.data().data() + begin,
            .m = m.data().data() + begin,
            .v = v.data().data() + begin,
            .size = count};
  }

  TestMatrix p, g, m, v;
};

constexpr double kHalf = 0.5;
constexpr AdamWStep kStep = {.step = 3,
                             .lr = 1e-2,
                             .beta1 = 0.9,
                             .beta2 = 0.95,
                             .eps = 1e-8,
                             .weight_decay = 0.1,
                             .gradient_scale = &kHalf};

class AdamWTest : public KernelsTest {};

TEST_P(AdamWTest, AgreesWithTheFormulaInDoublePrecision) {
  for (int64_t size : {1, 15, 17, 100, 40000}) {
    State state(size);
    Doubles p = state.p.doubles(), m = state.m.doubles();
    Doubles v = state.v.doubles();
    const Doubles g = state.g.doubles();
    for (int64_t i = 0; i < size; ++i) {
      const double gradient = 0.5 * g[i];
      m[i] = 0.9 * m[i] + 0.1 * gradient;
      v[i] = 0.95 * v[i] + 0.05 * gradient * gradient;
      p[i] -= 1e-2 * 0.1 * p[i];
      p[i] -= 1e-2 * (m[i] / (1 - std::pow(0.9, 3))) /
              (std::sqrt(v[i] / (1 - std::pow(0.95, 3))) + 1e-8);
    }
    AdamW(cpu_, kStep, state.Range(0, size));
    ExpectClose(state.p, p, 3e-7, "p");
    ExpectClose(state.m, m, 3e-7, "m");
    ExpectClose(state.v, v, 3e-7, "v");
  }
}

// A shard's borders must not show: stages of ZeRO cut differently.
TEST_P(AdamWTest, AnyCutGivesTheSameBits) {
  constexpr int64_t kSize = 1000;
  State whole(kSize), cut(kSize);
  AdamW(cpu_, kStep, whole.Range(0, kSize));
  for (int64_t begin = 0, count = 1; begin < kSize; begin += count) {
    count = std::min<int64_t>(begin % 37 + 1, kSize - begin);
    AdamW(cpu_, kStep, cut.Range(begin, count));
  }
  EXPECT_EQ(whole.p.data(), cut.p.data());
  EXPECT_EQ(whole.m.data(), cut.m.data());
  EXPECT_EQ(whole.v.data(), cut.v.data());
}

// A gradient that is no number must not spoil parameters.
TEST_P(AdamWTest, AScaleThatIsNotFiniteLeavesEverything) {
  State state(100), before(100);
  for (const double scale : {double{NAN}, double{INFINITY}}) {
    AdamWStep step = kStep;
    step.gradient_scale = &scale;
    AdamW(cpu_, step, state.Range(0, 100));
  }
  EXPECT_EQ(state.p.data(), before.p.data());
  EXPECT_EQ(state.m.data(), before.m.data());
  EXPECT_EQ(state.v.data(), before.v.data());
}

TEST(SumStepTest, AddsOverTheRanksAndClips) {
  // Two ranks: a loss and two sums of squares each.
  const std::vector<double> parts = {1.5, 4, 5, 0.25, 6, 10};
  StepSums sums = SumStep(parts.data(), 2, 3, 2.0);
  EXPECT_EQ(sums.loss, 1.75);
  EXPECT_EQ(sums.grad_norm, 5);
  EXPECT_EQ(sums.clip, 2.0 / (5 + 1e-6));
  EXPECT_EQ(SumStep(parts.data(), 2, 3, 10.0).clip, 1);
  EXPECT_EQ(SumStep(parts.data(), 2, 3, 0).clip, 1);
}

TEST(SumStepTest, NothingFiniteNothingClipped) {
  for (const size_t at : {0, 4}) {
    std::vector<double> parts = {1.5, 4, 5, 0.25, 6, 10};
    parts[at] = INFINITY;
    EXPECT_TRUE(std::isnan(SumStep(parts.data(), 2, 3, 0).clip)) << at;
    parts[at] = NAN;
    EXPECT_TRUE(std::isnan(SumStep(parts.data(), 2, 3, 2.0).clip)) << at;
  }
}

TEST_P(AdamWTest, SquaredNormIsADoublePrecisionSum) {
  for (int64_t size : {0, 1, 15, 33, 16384, 100003}) {
    const TestMatrix x = TestMatrix::Random(1, size, 5);
    const double sum = SquaredNorm(cpu_, x.view().f32(), size);
    EXPECT_NEAR(sum, DotOf(x.doubles(), x.doubles()), 1e-12 * (sum + 1));
    CpuContext alone(1, cpu_.kernels);
    EXPECT_EQ(SquaredNorm(alone, x.view().f32(), size), sum);
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, AdamWTest, AllKernels(), KernelsName);

}  // namespace
}  // namespace zs::testing
