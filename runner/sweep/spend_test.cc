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

std::vector<double> Level(double ms) {
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) {
    times.push_back(ms * (1 + 0.002 * (i % 3)));
  }
  return times;
}

TEST(SpendTest, ADriftIsNamedWithItsLevels) {
  EXPECT_EQ(DriftText("s", {Level(100), Level(103), Level(106)}),
            "sentinel s: the machine drifts, step times (ms) 100.20, 103.21, "
            "106.21 in order: +6.0% from the first to the last");
  EXPECT_EQ(DriftText("s", {Level(100), Level(103), Level(100.5)}), "");
  EXPECT_EQ(DriftText("s", {Level(100)}), "");
  EXPECT_EQ(DriftText("s", {}), "");
}

}  // namespace
}  // namespace zs
