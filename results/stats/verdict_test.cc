#include "results/stats/verdict.h"

#include <limits>

#include "gtest/gtest.h"

namespace zs::results {
namespace {

TEST(VerdictTest, SaysOneWord) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const struct {
    double lo;
    double hi;
    const char* word;
  } cases[] = {
      {1.02, 1.05, "FASTER"},    {0.90, 0.97, "SLOWER"},
      {0.995, 1.005, "SAME"},    {1.001, 1.009, "SAME"},
      {1.0, 1.0, "SAME"},        {0.98, 1.005, "UNDECIDED"},
      {0.97, 1.03, "UNDECIDED"}, {1.005, 1.02, "FASTER"},
      {nan, 1.0, "UNDECIDED"},   {1.0, nan, "UNDECIDED"},
      {1.05, 1.02, "UNDECIDED"}, {0.0, 0.5, "UNDECIDED"},
      {-1.0, 0.5, "UNDECIDED"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(SpeedWord(c.lo, c.hi, 0.01), c.word) << c.lo << " " << c.hi;
  }
}

TEST(VerdictTest, WithoutMarginOnlyEqualIsSame) {
  EXPECT_EQ(SpeedWord(1.0, 1.0, 0), "SAME");
  EXPECT_EQ(SpeedWord(0.999, 1.001, 0), "UNDECIDED");
}

}  // namespace
}  // namespace zs::results
