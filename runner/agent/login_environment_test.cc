#include "runner/agent/login_environment.h"

#include <stdlib.h>

#include <algorithm>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

constexpr int kTimeoutMs = 20'000;

// A home folder whose .profile is the one that a test writes.
class LoginEnvironmentTest : public ::testing::Test {
 protected:
  LoginEnvironmentTest()
      : home_(::testing::TempDir() + "/" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    EXPECT_OK(MakeFolders(home_));
    ::setenv("HOME", home_.c_str(), 1);
    ::setenv("SHELL", "/bin/sh", 1);
  }

  void Profile(const std::string& text) {
    EXPECT_OK(WriteFileAtomically(home_ + "/.profile", text));
  }

  static bool Has(const std::vector<std::string>& words,
                  const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  }

  std::string home_;
};

TEST_F(LoginEnvironmentTest, GivesWhatTheProfileExportsUntouched) {
  Profile(
      "echo welcome; echo trouble >&2\n"
      "export PLAIN=1 EMPTY= QUOTED=\"it's \\\"so\\\" \\$HOME\"\n"
      "export LINES2='a\nb'\nNOT_EXPORTED=1\n");
  const auto login = ReadLoginEnvironment(kTimeoutMs);
  ASSERT_OK(login.status());
  EXPECT_EQ(login->shell, "/bin/sh");
  EXPECT_TRUE(Has(login->variables, "PLAIN=1"));
  EXPECT_TRUE(Has(login->variables, "EMPTY="));
  EXPECT_TRUE(Has(login->variables, "QUOTED=it's \"so\" $HOME"));
  EXPECT_TRUE(Has(login->variables, "LINES2=a\nb"));
  EXPECT_TRUE(Has(login->added, "PLAIN"));
  EXPECT_FALSE(Has(login->added, "NOT_EXPORTED"));
  // What is as it was, and what is the shell's own, is not called new.
  EXPECT_FALSE(Has(login->added, "HOME"));
  EXPECT_FALSE(Has(login->added, "PWD"));
}

TEST_F(LoginEnvironmentTest, ProfileThatDoesNotEndIsEnded) {
  Profile("sleep 1000\n");
  EXPECT_EQ(ReadLoginEnvironment(300).status().code(),
            StatusCode::kDeadlineExceeded);
}

TEST_F(LoginEnvironmentTest, ProfileThatFailsIsQuoted) {
  Profile("echo no module cuda; exit 3\n");
  const auto login = ReadLoginEnvironment(kTimeoutMs);
  ASSERT_FALSE(login.ok());
  EXPECT_NE(login.status().message().find("exit 3"), std::string::npos);
  EXPECT_NE(login.status().message().find("no module cuda"), std::string::npos);
}

TEST_F(LoginEnvironmentTest, DaemonOfTheProfileDoesNotHoldItUp) {
  Profile("sleep 1000 &\nexport SEEN=1\n");
  const auto login = ReadLoginEnvironment(kTimeoutMs);
  ASSERT_OK(login.status());
  EXPECT_TRUE(Has(login->variables, "SEEN=1"));
}

TEST_F(LoginEnvironmentTest, MissingShellIsNamed) {
  ::setenv("SHELL", "/no/such/shell", 1);
  const auto login = ReadLoginEnvironment(kTimeoutMs);
  ASSERT_FALSE(login.ok());
  EXPECT_NE(login.status().message().find("/no/such/shell"), std::string::npos);
}

TEST_F(LoginEnvironmentTest, MarksAreNeededInTheirOrder) {
  EXPECT_FALSE(ParseLoginEnvironment("A=1").ok());
  EXPECT_FALSE(ParseLoginEnvironment("zerosweep-environment-ends"
                                     "zerosweep-environment-begins\n")
                   .ok());
}

}  // namespace
}  // namespace zs
