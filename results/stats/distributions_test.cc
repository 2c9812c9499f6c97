#include "results/stats/distributions.h"

#include "gtest/gtest.h"

namespace zs::results {
namespace {

// SciPy 1.10: norm.cdf, special.betainc; quantiles by bisection of betainc,
// since t.ppf is good to eight digits only.
TEST(DistributionsTest, AgreesWithSciPy) {
  EXPECT_NEAR(NormalCdf(-1.96), 0.024997895148220435, 1e-15);
  EXPECT_NEAR(NormalCdf(1.0), 0.8413447460685429, 1e-15);
  EXPECT_NEAR(NormalCdf(-5), 2.866515718791933e-07, 1e-20);
  EXPECT_NEAR(RegularizedBeta(2, 3, 0.4), 0.5248, 1e-14);
  EXPECT_NEAR(RegularizedBeta(0.5, 0.5, 0.1), 0.2048327646991335, 1e-14);
  EXPECT_NEAR(RegularizedBeta(10, 0.5, 0.99), 0.6579281751567843, 1e-13);
  EXPECT_NEAR(StudentQuantile(0.975, 1), 12.706204736432095, 1e-9);
  EXPECT_NEAR(StudentQuantile(0.975, 9), 2.262157162798204, 1e-12);
  EXPECT_NEAR(StudentQuantile(0.025, 9), -2.262157162798204, 1e-12);
  EXPECT_NEAR(StudentQuantile(0.95, 30), 1.6972608865939565, 1e-12);
  EXPECT_NEAR(StudentQuantile(0.999, 2.5), 13.82219311086565, 1e-10);
}

// One degree of freedom is Cauchy's: 1/2 + atan(t) / pi.
TEST(DistributionsTest, ClosedForms) {
  EXPECT_NEAR(StudentCdf(1, 1), 0.75, 1e-14);
  EXPECT_NEAR(StudentCdf(0, 5), 0.5, 1e-14);
  EXPECT_NEAR(StudentQuantile(0.5, 3), 0, 1e-12);
  EXPECT_EQ(RegularizedBeta(2, 3, 0), 0);
  EXPECT_EQ(RegularizedBeta(2, 3, 1), 1);
  // I_x(1, b) = 1 - (1 - x)^b.
  EXPECT_NEAR(RegularizedBeta(1, 4, 0.3), 1 - 0.7 * 0.7 * 0.7 * 0.7, 1e-14);
}

}  // namespace
}  // namespace zs::results
