#include "results/stats/trend.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "results/stats/synthetic.h"

namespace zs::results {
namespace {

TEST(TrendTest, ALineHasItsSlope) {
  std::vector<double> line;
  for (int i = 0; i < 40; ++i) {
    line.push_back(100 + 0.25 * i);
  }
  EXPECT_NEAR(TrendOf(line).value_or(0), 0.25, 1e-12);
  std::vector<double> longer;
  for (int i = 0; i < 10000; ++i) {
    longer.push_back(100 - 0.5 * i);
  }
  EXPECT_NEAR(TrendOf(longer).value_or(0), -0.5, 1e-9);
}

TEST(TrendTest, NoiseHasNone) {
  int found = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    found += TrendOf(SyntheticTimes(40, 100, 0.3, 0.02, seed)).has_value();
  }
  EXPECT_LE(found, 20);  // 1% asked for, 4% with a correlation that is guessed
}

TEST(TrendTest, TooLittleOrBadInputHasNone) {
  EXPECT_EQ(TrendOf(std::vector<double>{1, 2, 3}), std::nullopt);
  std::vector<double> bad(20, 1.0);
  bad[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(TrendOf(bad), std::nullopt);
}

}  // namespace
}  // namespace zs::results
