#include "runner/supervise/redactor.h"

#include <string>

#include "gtest/gtest.h"

namespace zs {
namespace {

constexpr char kText[] =
    "begin hunter2-canary end hunter2-canar hunter2-canaryhunter2-canary "
    "hunter";
constexpr char kRedacted[] = "begin *** end hunter2-canar ****** hunter";

TEST(RedactorTest, TakesSecretsOutHoweverTheBytesAreCut) {
  const SecretValues secrets({"hunter2-canary", "other-secret"});
  const std::string text = kText;
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    Redactor redactor(secrets);
    std::string got;
    for (size_t at = 0; at < text.size(); at += piece) {
      got += redactor.Feed(std::string_view(text).substr(at, piece));
    }
    got += redactor.Take();
    EXPECT_EQ(got, kRedacted) << piece;
  }
}

TEST(RedactorTest, WithoutSecretsBytesPassAsTheyAre) {
  const SecretValues secrets({"", "short"});
  Redactor redactor(secrets);
  const std::string text = "short and anything";
  EXPECT_EQ(redactor.Feed(text).data(), text.data());
  EXPECT_EQ(redactor.Take(), "");
}

TEST(RedactorTest, WaitsOnlyForWhatMayBecomeASecret) {
  const SecretValues secrets({"hunter2-canary"});
  Redactor redactor(secrets);
  EXPECT_EQ(redactor.Feed("step 1\nhunt"), "step 1\n");
  EXPECT_EQ(redactor.Feed("ing\n"), "hunting\n");
}

TEST(RedactorTest, LongerOfTwoSecretsThatBeginAlikeIsTaken) {
  const SecretValues secrets({"secret", "secret-long"});
  Redactor redactor(secrets);
  EXPECT_EQ(std::string(redactor.Feed("a secret-long b secret c\n")) +
                redactor.Take(),
            "a *** b *** c\n");
}

}  // namespace
}  // namespace zs
