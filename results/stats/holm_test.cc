#include "results/stats/holm.h"

#include <cmath>

#include "gtest/gtest.h"

namespace zs::results {
namespace {

using Values = std::vector<double>;

// By hand: 4 x .005, 3 x .01, 2 x .03, then the largest so far.
TEST(HolmTest, StepsDown) {
  const Values adjusted = HolmAdjusted(Values{0.01, 0.04, 0.03, 0.005});
  ASSERT_EQ(adjusted.size(), 4u);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
}

TEST(HolmTest, BoundsAndBadInput) {
  EXPECT_TRUE(HolmAdjusted({}).empty());
  EXPECT_EQ(HolmAdjusted(Values{0.2}), Values{0.2});
  EXPECT_EQ(HolmAdjusted(Values{0.9, 0.8}), (Values{1, 1}));
  EXPECT_EQ(HolmAdjusted(Values{std::nan(""), 0.01}), (Values{1, 0.02}));
}

}  // namespace
}  // namespace zs::results
