#include "results/report/loss_spread.h"

#include <cmath>
#include <optional>

#include "gtest/gtest.h"

namespace zs::results {
namespace {

std::vector<StepFigure> Losses(const std::vector<std::optional<double>>& all) {
  std::vector<StepFigure> steps;
  for (const std::optional<double>& loss : all) {
    StepFigure step;
    step.step = std::ssize(steps) + 1;
    step.loss = loss;
    steps.push_back(step);
  }
  return steps;
}

TEST(LossSpreadTest, IsTheWorstStepOfAnyTwoRuns) {
  LossSpread spread;
  spread.Add(Losses({4, 4, 2}));
  EXPECT_EQ(spread.largest(), 0);
  spread.Add(Losses({4, 4.02, 2}));
  EXPECT_NEAR(spread.largest(), 0.005, 1e-12);
  spread.Add(Losses({4, 3.98, 2.002}));  // against the second run
  EXPECT_NEAR(spread.largest(), 0.04 / 3.98, 1e-12);
}

TEST(LossSpreadTest, WhatIsNoLossSaysNothing) {
  LossSpread spread;
  spread.Add(Losses({4, std::nullopt, std::nan("")}));
  spread.Add(Losses({std::nan(""), 4, 4, 7}));
  EXPECT_EQ(spread.largest(), 0);
}

}  // namespace
}  // namespace zs::results
