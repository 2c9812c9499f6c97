#include "results/stats/rank_test.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace zs::results {
namespace {

using Sample = std::vector<double>;

// SciPy 1.10: stats.brunnermunzel.
TEST(RankTestTest, AgreesWithSciPy) {
  const Sample x = {1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1};
  const Sample y = {3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4};
  EXPECT_NEAR(BrunnerMunzel(x, y)->p_value, 0.005786208666151538, 1e-10);
  const Sample a = {10.1, 10.4, 9.8, 10.0, 10.3, 9.9};
  const Sample b = {10.6, 10.2, 10.9, 10.5, 11.0, 10.1, 10.7};
  EXPECT_NEAR(BrunnerMunzel(a, b)->p_value, 0.001195393051430349, 1e-10);
  // 1 - U / (n1 n2) of stats.mannwhitneyu.
  EXPECT_NEAR(BrunnerMunzel(a, b)->chance_first_smaller,
              1 - 0.10714285714285714, 1e-12);
  EXPECT_NEAR(BrunnerMunzel(b, a)->p_value, BrunnerMunzel(a, b)->p_value,
              1e-12);
}

TEST(RankTestTest, EdgesHaveAnswers) {
  const Sample low = {1, 2, 3};
  const Sample high = {4, 5, 6};
  EXPECT_EQ(BrunnerMunzel(low, high)->p_value, 0);
  EXPECT_EQ(BrunnerMunzel(low, high)->chance_first_smaller, 1);
  const Sample same = {7, 7, 7};
  EXPECT_EQ(BrunnerMunzel(same, same)->p_value, 1);
  EXPECT_EQ(BrunnerMunzel(low, Sample{1}).has_value(), false);
  EXPECT_EQ(BrunnerMunzel(Sample{}, low).has_value(), false);
  EXPECT_EQ(BrunnerMunzel(low, Sample{1, std::nan("")}).has_value(), false);
}

}  // namespace
}  // namespace zs::results
