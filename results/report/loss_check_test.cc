#include "results/report/loss_check.h"

#include <cmath>

#include "gtest/gtest.h"

namespace zs::results {
namespace {

MeasuredSide SideOf(const std::vector<double>& losses, double tolerance) {
  MeasuredSide side;
  side.loss_tolerance = tolerance;
  int64_t step = 0;
  for (const double loss : losses) {
    side.losses.push_back({++step, loss});
  }
  return side;
}

TEST(LossCheckTest, SaysHowLossesDiffer) {
  const double nan = std::nan("");
  const struct {
    std::vector<double> baseline;
    std::vector<double> side;
    double tolerance;
    std::string text;
  } cases[] = {
      {{4, 3, 2}, {4, 3, 2}, 0, "same losses"},
      {{4, 3, 2}, {4, 3, 2}, 1e-3, "same losses"},
      {{4, 3, 2}, {4, 3.001, 2}, 1e-3, "losses equal within 0.1%"},
      {{4, 4, 2},
       {4, 4.001, 2.1},
       0,
       "losses DIFFER by up to 5%, from step 2 on"},
      {{4, 4, 4},
       {4, 4.001, 4.02},
       1e-3,
       "losses DIFFER by 0.5% at step 3 (0.1% allowed)"},
      {{4, nan}, {4, nan}, 0, "losses DIFFER: not a number at step 2"},
      {{4, nan}, {4, nan}, 1, "losses DIFFER: not a number at step 2"},
      {{4, 3}, {}, 0, "losses unknown"},
  };
  for (const auto& c : cases) {
    const LossCheck check =
        CheckLosses(SideOf(c.baseline, 0), SideOf(c.side, c.tolerance));
    EXPECT_EQ(LossText(check), c.text);
  }
}

// Rounding drives runs of one program apart; what repeats of one side differ by
// is no difference between sides. Where bits must agree it is.
TEST(LossCheckTest, RepeatsTellHowFarRoundingGoes) {
  MeasuredSide baseline = SideOf({4, 4, 4}, 1e-3);
  const MeasuredSide side = SideOf({4, 4, 4.02}, 1e-3);
  baseline.loss_spread = 0.004;
  EXPECT_EQ(LossText(CheckLosses(baseline, side)),
            "losses DIFFER by 0.5% at step 3 (0.4% allowed)");
  baseline.loss_spread = 0.006;
  EXPECT_EQ(LossText(CheckLosses(baseline, side)),
            "losses equal within 0.6%, what repeats of the baseline differ by");
  baseline.loss_tolerance = 0;
  EXPECT_EQ(CheckLosses(baseline, SideOf({4, 4, 4.02}, 0)).equal, false);
}

// A race that breaks training makes repeats differ, too.
TEST(LossCheckTest, NoSideExcusesItself) {
  const MeasuredSide baseline = SideOf({4, 4, 4}, 1e-3);
  MeasuredSide side = SideOf({4, 4, 4.02}, 1e-3);
  side.summary.name = "z1";
  side.loss_spread = 0.006;
  EXPECT_EQ(LossText(CheckLosses(baseline, side)),
            "losses DIFFER by 0.5% at step 3 (0.1% allowed)");
  side.loss_spread = 0.4;
  for (const LossCheck& check :
       {CheckLosses(baseline, side), CheckLosses(side, baseline)}) {
    EXPECT_EQ(check.equal, false);
    EXPECT_EQ(LossText(check),
              "losses DIFFER: runs of z1 by 40% among themselves (rounding: 5% "
              "at most)");
  }
}

// The more tolerant side decides, whichever it is.
TEST(LossCheckTest, EitherSideMayTolerate) {
  EXPECT_EQ(CheckLosses(SideOf({4}, 1e-3), SideOf({4.001}, 0)).equal, true);
}

TEST(LossCheckTest, OnlyCommonStepsCount) {
  MeasuredSide late = SideOf({9, 9, 2}, 0);
  late.losses.erase(late.losses.begin(), late.losses.begin() + 2);
  EXPECT_EQ(CheckLosses(SideOf({4, 3, 2, 1}, 0), late).equal, true);
}

}  // namespace
}  // namespace zs::results
