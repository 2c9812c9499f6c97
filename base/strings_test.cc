#include "base/strings.h"

#include <limits>

#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(StringsTest, NumbersAreShort) {
  EXPECT_EQ(FormatNumber(0.05), "0.05");
  EXPECT_EQ(FormatNumber(12345.678), "12345.7");
  EXPECT_EQ(FormatNumber(2), "2");
  EXPECT_EQ(FormatNumber(std::numeric_limits<double>::infinity()), "inf");
}

TEST(StringsTest, PrintfHasNoLimit) {
  EXPECT_EQ(StringPrintf("%d %s %.2f", 7, "of", 1.0), "7 of 1.00");
  EXPECT_EQ(StringPrintf("%500d", 1), std::string(499, ' ') + "1");
  EXPECT_EQ(StringPrintf("%s", ""), "");
}

TEST(StringsTest, SplitAndJoinAreInverse) {
  for (const char* text : {"", "a", "a,b", ",a", "a,", "a,,b"}) {
    EXPECT_EQ(Join(Split(text, ','), ","), text);
  }
  EXPECT_EQ(Split("a,,b", ',').size(), 3);
}

TEST(StringsTest, TrimsBothEnds) {
  EXPECT_EQ(Trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(Trimmed("a"), "a");
  EXPECT_EQ(Trimmed(" \n"), "");
  EXPECT_EQ(Trimmed(""), "");
}

TEST(StringsTest, ControlCharactersAreShownAndNotSent) {
  EXPECT_EQ(Printable("a\x1b[31mb\r\nc\td"), "a\\x1b[31mb\\x0d\\x0ac\td");
  EXPECT_EQ(Printable("\xc3\xa9"), "\xc3\xa9");
}

}  // namespace
}  // namespace zs
