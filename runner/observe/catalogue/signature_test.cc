#include "runner/observe/catalogue/signature.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "re2/re2.h"
#include "runner/observe/text/literals.h"

namespace zs {
namespace {

TEST(SignatureTest, CodesAreUniqueAndSorted) {
  std::string_view last;
  for (const Signature& signature : Signatures()) {
    EXPECT_LT(last, signature.code);
    last = signature.code;
    EXPECT_FALSE(signature.meaning.empty()) << signature.code;
    EXPECT_FALSE(signature.source.empty()) << signature.code;
    EXPECT_EQ(&Signatures()[SignatureIndex(signature.code)], &signature);
  }
  EXPECT_EQ(SignatureIndex("no-such-code"), -1);
}

TEST(SignatureTest, EveryExpressionCompilesAndBelongsToARow) {
  for (const Expression& expression : Expressions()) {
    EXPECT_GE(SignatureIndex(expression.code), 0) << expression.code;
    EXPECT_GE(expression.literal.size(), LiteralMatcher::kMinLength)
        << expression.literal;
    const re2::RE2 regex(
        re2::StringPiece(expression.regex.data(), expression.regex.size()));
    EXPECT_TRUE(regex.ok()) << expression.regex << ": " << regex.error();
    EXPECT_LE(regex.NumberOfCapturingGroups(), 4) << expression.regex;
  }
}

TEST(SignatureTest, ARowWithoutAnExpressionIsDecidedByARule) {
  std::set<std::string_view> shown;
  for (const Expression& expression : Expressions()) {
    shown.insert(expression.code);
  }
  for (const Signature& signature : Signatures()) {
    EXPECT_TRUE(shown.count(signature.code) == 1 ||
                signature.evidence != Evidence::kLine)
        << signature.code;
  }
}

}  // namespace
}  // namespace zs
