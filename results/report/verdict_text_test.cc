#include "results/report/verdict_text.h"

#include "gtest/gtest.h"

namespace zs::results {
namespace {

TEST(VerdictTextTest, SharesAreFractionsWhereTheyAre) {
  EXPECT_EQ(ShareText(50, 100), "1/2");
  EXPECT_EQ(ShareText(52, 100), "1/2");
  EXPECT_EQ(ShareText(25, 100), "1/4");
  EXPECT_EQ(ShareText(3.125, 100), "1/32");
  EXPECT_EQ(ShareText(73, 100), "0.73x");
  EXPECT_EQ(ShareText(150, 100), "1.50x");
}

TEST(VerdictTextTest, OneExperimentIsNoComparison) {
  Comparison comparison;
  ComparedExperiment z0;
  z0.name = z0.baseline = "z0";
  comparison.experiments = {z0};
  EXPECT_EQ(VerdictText(comparison),
            "Only z0 is shown; name another to compare it with.");
  EXPECT_EQ(VerdictText({}), "");
}

}  // namespace
}  // namespace zs::results
