#include "results/report/interval_plot.h"

#include "gtest/gtest.h"

namespace zs::results {
namespace {

ComparedExperiment Side(const std::string& name, double value, double lo,
                        double hi, const std::string& word) {
  ComparedExperiment e;
  e.name = name;
  e.baseline = "z0";
  e.ratio.value = value;
  e.ratio.lo = lo;
  e.ratio.hi = hi;
  e.ratio.word = word;
  return e;
}

// 48 places from 0.90 to 1.37: a hundredth each.
TEST(IntervalPlotTest, IntervalsStandOnOneScale) {
  Comparison comparison;
  comparison.experiments = {ComparedExperiment(),
                            Side("z1", 0.95, 0.90, 1.00, "UNDECIDED"),
                            Side("long", 1.30, 1.20, 1.37, "FASTER")};
  EXPECT_EQ(IntervalPlot(comparison),
            "z1    ├────●────┤" + std::string(37, ' ') +
                "  0.950 UNDECIDED\n"
                "long            │                   ├─────────●──────┤"
                "  1.300 FASTER\n"
                "      0.900" +
                std::string(38, ' ') + "1.370\n");
}

// The middle one reaches 0.04 from 1, so the scale 0.96 to 1.04 at least.
TEST(IntervalPlotTest, AHugeIntervalDoesNotSqueezeTheOthers) {
  Comparison comparison;
  comparison.experiments = {Side("z1", 1.02, 1.00, 1.04, "UNDECIDED"),
                            Side("z2", 0.98, 0.96, 1.00, "UNDECIDED"),
                            Side("zz", 1.30, 0.50, 3.00, "UNDECIDED"),
                            Side("zy", 0.30, 0.20, 0.40, "SLOWER")};
  const std::string plot = IntervalPlot(comparison);
  EXPECT_NE(plot.find("0.960"), std::string::npos) << plot;
  EXPECT_NE(plot.find("1.040  ◀▶ goes on beyond the scale"), std::string::npos)
      << plot;
  std::string whole = "zz  ◀";
  for (int i = 0; i < 46; ++i) {
    whole += "─";
  }
  EXPECT_NE(plot.find(whole + "▶  1.300 UNDECIDED"), std::string::npos) << plot;
  EXPECT_NE(plot.find("zy  ◀ "), std::string::npos) << plot;
}

TEST(IntervalPlotTest, NothingToDrawDrawsNothing) {
  Comparison comparison;
  ComparedExperiment z1;
  z1.name = "z1";
  z1.baseline = "z0";
  comparison.experiments = {z1};
  EXPECT_EQ(IntervalPlot(comparison), "");
}

}  // namespace
}  // namespace zs::results
