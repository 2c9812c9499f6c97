#include "base/json.h"

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(JsonTest, SameValueGivesSameTextWhateverTheOrderOfKeys) {
  const auto a = ParseJson(R"({"b": 1, "a": [true, null]})");
  const auto b = ParseJson(R"({"a": [true, null], "b": 1})");
  ASSERT_OK(a);
  ASSERT_OK(b);
  EXPECT_EQ(DumpJson(*a), R"({"a":[true,null],"b":1})");
  EXPECT_EQ(DumpJson(*a), DumpJson(*b));
}

TEST(JsonTest, SyntaxErrorNamesThePlace) {
  EXPECT_STATUS(ParseJson("{\n\"a\": }"), StatusCode::kInvalidArgument,
                "line 2");
  EXPECT_FALSE(ParseJson("").ok());
}

TEST(JsonTest, RefusesDuplicateKeys) {
  EXPECT_STATUS(ParseJson(R"({"a": 1, "a": 2})"), StatusCode::kInvalidArgument,
                "\"a\" stands twice");
  EXPECT_OK(ParseJson(R"([{"a": 1}, {"a": 2}])"));
}

TEST(JsonTest, RefusesDeepNestingInsteadOfOverflowingTheStack) {
  EXPECT_FALSE(ParseJson(std::string(100000, '[')).ok());
  const std::string deep = std::string(600, '[') + "1" + std::string(600, ']');
  EXPECT_STATUS(ParseJson(deep), StatusCode::kInvalidArgument, "512");
}

TEST(JsonTest, DumpReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(DumpJson(Json("a\xff")), "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace zs
