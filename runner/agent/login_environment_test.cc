#include "runner/agent/login_environment.h"

#include <algorithm>
#include <string>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

using Entries = std::vector<std::string>;

TEST(LoginEnvironmentTest, ParsesWhatStandsBehindTheMarker) {
  const std::string printed =
      std::string("Welcome\nA=not this\0", 19) +
      std::string("\0ZS_ENVIRONMENT\0", 16) +
      std::string("A=1\0B=two\nlines = \"x\" $y\0EMPTY=\0nonsense\0", 41);
  const auto entries = ParseLoginEnvironment(printed);
  ASSERT_OK(entries);
  EXPECT_EQ(*entries, (Entries{"A=1", "B=two\nlines = \"x\" $y", "EMPTY="}));
}

TEST(LoginEnvironmentTest, RefusesWhatHasNoMarker) {
  EXPECT_STATUS(ParseLoginEnvironment("A=1"), StatusCode::kDataLoss, "");
}

TEST(LoginEnvironmentTest, AsksTheShellOfThisHost) {
  LoginEnvironment login;
  const auto entries = login.Get();
  ASSERT_OK(entries);
  EXPECT_TRUE(std::any_of(
      entries->begin(), entries->end(),
      [](const std::string& entry) { return entry.starts_with("PATH="); }));
}

}  // namespace
}  // namespace zs
