#include "engine/ops/cpu/kernels/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

class KernelsTest : public testing::TestWithParam<const Kernels*> {};

TEST_P(KernelsTest, ExpIsWithinTwoUnitsInTheLastPlace) {
  std::vector<float> x, y;
  for (double v = -87; v < 88.7; v += 1e-3) {
    x.push_back(static_cast<float>(v));
  }
  y.resize(x.size());
  GetParam()->exp(x.data(), y.data(), static_cast<int64_t>(x.size()));
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = std::exp(static_cast<double>(x[i]));
    const auto rounded = static_cast<float>(exact);
    const double unit =
        std::nextafter(rounded, std::numeric_limits<float>::infinity()) -
        rounded;
    worst = std::max(worst, std::abs(y[i] - exact) / unit);
  }
  EXPECT_LT(worst, 2.0);
}

TEST_P(KernelsTest, ExpHandlesTheEdges) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {-inf, -1000, -88, 0, 88.7f, 89, inf, NAN};
  std::vector<float> y(x.size());
  GetParam()->exp(x.data(), y.data(), 8);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[2], 0);  // denormal results are flushed
  EXPECT_EQ(y[3], 1);
  EXPECT_TRUE(std::isfinite(y[4]));
  EXPECT_EQ(y[5], inf);
  EXPECT_EQ(y[6], inf);
  EXPECT_TRUE(std::isnan(y[7]));
}

std::vector<const Kernels*> All() {
  const KernelList list = RunnableKernels();
  return {list.items, list.items + list.count};
}

INSTANTIATE_TEST_SUITE_P(Isa, KernelsTest, testing::ValuesIn(All()),
                         [](const auto& info) {
                           return std::string(info.param->name);
                         });

TEST(ActiveKernelsTest, AreTheFirstThatRun) {
  EXPECT_EQ(&ActiveKernels(), All().front());
  EXPECT_EQ(std::string(All().back()->name), "generic");
}

}  // namespace
}  // namespace zs
