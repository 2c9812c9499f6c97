#include "runner/sweep/spend.h"

#include "gtest/gtest.h"

namespace zs {
namespace {

results::SpeedRatio RatioOf(double lo, double hi, const std::string& word) {
  results::SpeedRatio ratio;
  ratio.value = 1;
  ratio.lo = lo;
  ratio.hi = hi;
  ratio.word = word;
  return ratio;
}

TEST(SpendTest, RepeatsGoToWhatIsUndecidedAndWide) {
  EXPECT_TRUE(IsOpen(RatioOf(0.97, 1.03, "UNDECIDED"), 0.01));
  EXPECT_FALSE(IsOpen(RatioOf(0.995, 1.012, "UNDECIDED"), 0.01));
  EXPECT_FALSE(IsOpen(RatioOf(1.01, 1.20, "FASTER"), 0.01));
  EXPECT_FALSE(IsOpen(results::SpeedRatio(), 0.01));  // no interval at all
}

}  // namespace
}  // namespace zs
