#include "engine/model/initialize.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/api/layout.h"
#include "engine/model/philox.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

// The known-answer vectors of the authors' Random123 library.
TEST(PhiloxTest, GivesThePublishedAnswers) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                     0x9b00dbd8}));
  EXPECT_EQ(Philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                   {0xffffffff, 0xffffffff}),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                     0x6d5451fd}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420,
                                     0x24126ea1}));
}

ModelConfig Model() {
  return {.layers = 2,
          .hidden = 64,
          .heads = 4,
          .kv_heads = 4,
          .head_size = 16,
          .ffn = 255,
          .vocab = 999,
          .max_seq_len = 64,
          .norm = "layernorm",
          .position = "learned",
          .activation = "gelu",
          .bias = true,
          .init_std = 0.03};
}

std::vector<float> Values(int unit, uint64_t seed) {
  std::vector<float> values(Layout(Model())[unit].size, NAN);
  InitializeUnit(Model(), unit, seed, values.data());
  return values;
}

TEST(InitializeUnitTest, GivesEachParameterItsDistribution) {
  for (int unit = 0; unit < 4; ++unit) {
    const std::vector<float> values = Values(unit, 1);
    const Unit layout = Layout(Model())[unit];
    for (const Parameter& p : layout.parameters) {
      double sum = 0, square = 0;
      for (int64_t i = p.offset; i < p.offset + p.size; ++i) {
        ASSERT_TRUE(std::isfinite(values[i])) << p.name;
        sum += values[i];
        square += static_cast<double>(values[i]) * values[i];
      }
      const auto n = static_cast<double>(p.size);
      const double std_dev = p.init == Init::kNormal         ? 0.03
                             : p.init == Init::kNormalScaled ? 0.015
                                                             : 0;
      const double mean = p.init == Init::kOne ? 1 : 0;
      // Five standard errors of mean and standard deviation.
      EXPECT_NEAR(sum / n, mean, 5 * std_dev / std::sqrt(n)) << p.name;
      EXPECT_NEAR(std::sqrt(std::max(square / n - mean, 0.0)), std_dev,
                  5 * std_dev / std::sqrt(2 * n))
          << p.name;
    }
  }
}

// However a unit is cut, the values are the same.
TEST(InitializeRangeTest, AnyCutGivesTheSameValues) {
  for (int number = 0; number < 4; ++number) {
    const std::vector<float> whole = Values(number, 3);
    const Unit unit = Layout(Model())[number];
    std::vector<float> cut(unit.size, NAN);
    int64_t size = 1;
    for (int64_t at = 0; at < unit.size; at += size, size = size % 4999 + 7) {
      InitializeRange(Model(), {unit, number}, 3,
                      {at, std::min(at + size, unit.size)}, &cut[at]);
    }
    EXPECT_EQ(cut, whole) << number;
  }
}

TEST(InitializeUnitTest, DependsOnSeedUnitAndParameterAlone) {
  EXPECT_EQ(Values(1, 7), Values(1, 7));
  const std::vector<float> a = Values(1, 7), b = Values(1, 8), c = Values(2, 7);
  const Unit unit = Layout(Model())[1];
  for (const Parameter& p : unit.parameters) {
    if (p.decay) {
      EXPECT_NE(a[p.offset], b[p.offset]) << p.name;
      EXPECT_NE(a[p.offset], c[p.offset]) << p.name;
    }
  }
}

}  // namespace
}  // namespace zs
