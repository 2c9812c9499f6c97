#include "base/step_range.h"

#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(StepRangeTest, FirstAndLast) {
  ASSERT_TRUE(ParseStepRange("35-44").has_value());
  EXPECT_EQ(ParseStepRange("35-44")->first, 35);
  EXPECT_EQ(ParseStepRange("35-44")->last, 44);
  EXPECT_TRUE(ParseStepRange("1-1").has_value());
}

TEST(StepRangeTest, AllElseIsNone) {
  for (const char* text :
       {"", "-", "35", "35-", "-44", "44-35", "0-3", "-1-3", "1--3", "1-3 ",
        " 1-3", "1-3x", "99999999999999999999-3", "a-b"}) {
    EXPECT_FALSE(ParseStepRange(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace zs
