#include "results/stats/levels.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace zs::results {
namespace {

TEST(LevelsTest, TwoClustersAreFound) {
  // Means 2 and 12, variances 2/3 each: D = sqrt(2) 10 / sqrt(4/3).
  const auto levels =
      TwoLevelsOf(std::vector<double>{1, 12, 2, 11, 3, 13, 2, 12, 1, 3});
  ASSERT_TRUE(levels.has_value());
  EXPECT_DOUBLE_EQ(levels->low, 2);
  EXPECT_DOUBLE_EQ(levels->high, 12);
  EXPECT_DOUBLE_EQ(levels->border, 11);
  EXPECT_DOUBLE_EQ(levels->low_share, 0.6);
  // Squares about the means: 4 of 6 below, 2 of 4 above.
  EXPECT_NEAR(levels->separation,
              std::sqrt(2.0) * 10 / std::sqrt(4.0 / 6 + 2.0 / 4), 1e-9);
}

TEST(LevelsTest, AFewSpikesAreNoLevel) {
  EXPECT_FALSE(TwoLevelsOf(std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1, 9}));
}

TEST(LevelsTest, NothingAndEqualValuesHaveNoLevels) {
  EXPECT_FALSE(TwoLevelsOf(std::vector<double>{}));
  EXPECT_FALSE(TwoLevelsOf(std::vector<double>{5}));
  const auto equal = TwoLevelsOf(std::vector<double>(10, 5.0));
  EXPECT_TRUE(!equal || equal->high == equal->low);
}

}  // namespace
}  // namespace zs::results
