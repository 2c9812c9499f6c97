#include "runner/backend/line_figures.h"

#include <cmath>

#include "gtest/gtest.h"

namespace zs {
namespace {

CommandSpec Patterns() {
  CommandSpec spec;
  spec.step_pattern = R"(^step (\d+):)";
  spec.step_ms_pattern = R"(took ([\d.,]+) ms)";
  spec.tokens_pattern = R"(tokens=(\S+))";
  spec.loss_pattern = R"(loss (\S+))";
  return spec;
}

TEST(LineFiguresTest, FiguresOfOneLine) {
  LineFigures figures(Patterns());
  const auto step =
      figures.Take("step 3: loss 2.25, took 1,012.5 ms tokens=1e3");
  ASSERT_TRUE(step.has_value());
  EXPECT_EQ(step->step, 3);
  EXPECT_EQ(step->loss, 2.25);
  EXPECT_EQ(step->step_ms, 1012.5);
  EXPECT_EQ(step->tokens, 1000);
}

TEST(LineFiguresTest, LinesBeforeTheStepBelongToIt) {
  LineFigures figures(Patterns());
  EXPECT_FALSE(figures.Take("took 10 ms").has_value());
  EXPECT_FALSE(figures.Take("loss 1.5").has_value());
  const auto first = figures.Take("step 1: done");
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->step_ms, 10);
  EXPECT_EQ(first->loss, 1.5);
  // Nothing is carried over to the next one.
  const auto second = figures.Take("step 2: done");
  ASSERT_TRUE(second.has_value());
  EXPECT_FALSE(second->step_ms.has_value());
  EXPECT_FALSE(second->loss.has_value());
}

TEST(LineFiguresTest, ANaNIsKeptAndWhatIsNoNumberIsNot) {
  LineFigures figures(Patterns());
  const auto nan = figures.Take("step 1: loss nan");
  ASSERT_TRUE(nan.has_value());
  EXPECT_TRUE(std::isnan(nan->loss.value_or(0)));
  const auto none = figures.Take("step 2: loss low tokens=many \xff\xfe");
  ASSERT_TRUE(none.has_value());
  EXPECT_FALSE(none->loss.has_value());
  EXPECT_FALSE(none->tokens.has_value());
  EXPECT_FALSE(figures.Take("step 99999999999999999999: loss 1").has_value());
}

TEST(LineFiguresTest, WithoutExpressionsNothingIsFound) {
  LineFigures figures{CommandSpec()};
  EXPECT_FALSE(figures.Take("step 1: loss 1").has_value());
}

TEST(LineFiguresTest, ALossThatIsNoNumberIsSeenWhereDigitsAreAskedFor) {
  for (const char* pattern : {R"(loss ([0-9.]+))", R"(loss (\d+\.\d+))",
                              R"(loss (\S+))", R"(loss ([\d.]+[eE][+-]\d+))"}) {
    CommandSpec spec;
    spec.step_pattern = R"(step (\d+))";
    spec.loss_pattern = pattern;
    LineFigures figures(spec);
    auto step = figures.Take("step 3 loss nan");
    ASSERT_TRUE(step.has_value() && step->loss.has_value()) << pattern;
    EXPECT_TRUE(std::isnan(*step->loss)) << pattern;
    step = figures.Take("INFO step 4 loss -Inf grad nan");
    ASSERT_TRUE(step.has_value() && step->loss.has_value()) << pattern;
    EXPECT_TRUE(std::isinf(*step->loss)) << pattern;
    // Another figure's, and a word that only begins so.
    step = figures.Take("step 5 grad nan");
    ASSERT_TRUE(step.has_value());
    EXPECT_FALSE(step->loss.has_value()) << pattern;
    step = figures.Take("nanny: step 6");
    ASSERT_TRUE(step.has_value());
    EXPECT_FALSE(step->loss.has_value()) << pattern;
  }
}

}  // namespace
}  // namespace zs
