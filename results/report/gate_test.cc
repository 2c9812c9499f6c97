#include "results/report/gate.h"

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs::results {
namespace {

Comparison WithRatio(std::optional<double> value, double lo, double hi) {
  Comparison comparison;
  ComparedExperiment z0;
  z0.name = z0.baseline = "z0";
  ComparedExperiment z1;
  z1.name = "z1";
  z1.baseline = "z0";
  z1.ratio.value = value;
  if (value) {
    z1.ratio.lo = lo;
    z1.ratio.hi = hi;
  }
  comparison.experiments = {z0, z1};
  return comparison;
}

TEST(GateTest, ResultsReachCiPages) {
  const auto fails = JudgeGate(WithRatio(0.9, 0.88, 0.92), 0.03);
  const std::string xml = GatesXml(fails);
  EXPECT_NE(xml.find("tests=\"1\" failures=\"1\" errors=\"0\""),
            std::string::npos)
      << xml;
  EXPECT_NE(xml.find("<failure message=\"z1 against z0: 0.9"),
            std::string::npos)
      << xml;
  EXPECT_NE(GatesXml(JudgeGate(WithRatio(std::nullopt, 0, 0), 0.03))
                .find("<error message="),
            std::string::npos);
  EXPECT_EQ(
      GatesXml(JudgeGate(WithRatio(1.02, 1.01, 1.03), 0.03)).find("message="),
      std::string::npos);
  ASSERT_EQ(GateTable(fails).rows.size(), 1u);
  EXPECT_EQ(GateTable(fails).rows[0][1].text, fails[0].text);
}

TEST(GateTest, FailsOnlyWhereThresholdAndIntervalAgree) {
  const struct {
    std::optional<double> value;
    double lo;
    double hi;
    GateState state;
  } cases[] = {
      {1.02, 1.01, 1.03, GateState::kHolds},
      {0.98, 0.97, 0.99, GateState::kHolds},  // slower, within the gate
      {0.96, 0.94, 0.98, GateState::kFails},
      {0.96, 0.90, 1.02, GateState::kUndecided},  // may be nothing
      {std::nullopt, 0, 0, GateState::kUnknown},
  };
  for (const auto& c : cases) {
    const auto results = JudgeGate(WithRatio(c.value, c.lo, c.hi), 0.03);
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].state, c.state) << results[0].text;
  }
  EXPECT_TRUE(JudgeGate(WithRatio(0.5, 0.4, 0.6), 0).empty());
}

TEST(GateTest, WhatIsDoubtedOrFailedDoesNotHold) {
  const FailIf below{.experiment = "z1", .below = true, .bound = 0.95};
  for (const double value : {0.9, 1.1}) {
    Comparison doubted = WithRatio(value, value - 0.01, value + 0.01);
    doubted.experiments[1].ratio.doubted = true;
    doubted.experiments[1].ratio.why = "other programs took 40%";
    const auto results = JudgeGate(doubted, 0.03);
    EXPECT_EQ(results[0].state, GateState::kUndecided);
    EXPECT_NE(results[0].text.find("other programs"), std::string::npos);
    EXPECT_EQ(JudgeFailIf(doubted, below)->state, GateState::kUndecided);
  }
  Comparison failed = WithRatio(1.1, 1.09, 1.11);
  failed.experiments[1].passed = false;
  failed.experiments[1].faults = {"run 3 failed: too slow"};
  EXPECT_EQ(JudgeGate(failed, 0.03)[0].state, GateState::kUnknown);
  failed.experiments[1].ratio = WithRatio(0.9, 0.89, 0.91).experiments[1].ratio;
  EXPECT_EQ(JudgeGate(failed, 0.03)[0].state, GateState::kFails);
}

TEST(GateTest, ConditionsWantTheWholeIntervalOnTheWrongSide) {
  const struct {
    const char* condition;
    GateState state;
  } cases[] = {
      {"z1 < 0.95", GateState::kHolds},      {"z1 < 1.05", GateState::kFails},
      {"z1 < 1.015", GateState::kUndecided}, {"z1 > 0.95", GateState::kFails},
      {"z1 > 1.005", GateState::kUndecided}, {"z1>1.1", GateState::kHolds},
  };
  for (const auto& c : cases) {
    const auto condition = ParseFailIf(c.condition);
    ASSERT_OK(condition);
    const auto result = JudgeFailIf(WithRatio(1.01, 1.00, 1.02), *condition);
    ASSERT_OK(result);
    EXPECT_EQ(result->state, c.state) << result->text;
  }
  EXPECT_STATUS(JudgeFailIf(WithRatio(1, 1, 1), {.experiment = "z0"}),
                StatusCode::kNotFound, "'z0'");
}

TEST(GateTest, WordsAreReadOrRefused) {
  EXPECT_DOUBLE_EQ(ParseGate("3%").value(), 0.03);
  EXPECT_DOUBLE_EQ(ParseGate(" 0.5 % ").value(), 0.005);
  EXPECT_DOUBLE_EQ(ParseGate("0.03").value(), 0.03);
  for (const char* bad : {"", "%", "nan", "nan%", "inf", "-3%", "0", "100%",
                          "3%%", "three", "1e400"}) {
    EXPECT_STATUS(ParseGate(bad), StatusCode::kInvalidArgument, "--gate");
  }
  for (const char* bad : {"", "z1", "z1 <", "< 0.95", "z1 < nan", "z1 = 1",
                          "z1 < 0", "z1 < x", "z1 <= 1"}) {
    EXPECT_STATUS(ParseFailIf(bad), StatusCode::kInvalidArgument, "--fail-if");
  }
}

// 2.262 is Student's 97.5% quantile at nine degrees of freedom.
TEST(GateTest, SmallestVisibleIsTwoMeansApart) {
  EXPECT_NEAR(SmallestVisible(0.01, 10, {1, 1}), 2.262157 * 0.01 * 1.414214,
              1e-7);
  EXPECT_NEAR(SmallestVisible(0.01, 10, {4, 4}), 2.262157 * 0.01 / 1.414214,
              1e-7);
  // sqrt(1/3 + 1/1)
  EXPECT_NEAR(SmallestVisible(0.01, 10, {3, 1}), 2.262157 * 0.01 * 1.154701,
              1e-7);
}

}  // namespace
}  // namespace zs::results
