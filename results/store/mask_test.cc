#include "results/store/mask.h"

#include "gtest/gtest.h"

namespace zs::results {
namespace {

TEST(MaskTest, KnowsNamesOfSecrets) {
  for (const char* name :
       {"HF_TOKEN", "WANDB_API_KEY", "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID", "--password", "dbPassword", "DB_PASS", "DB_PWD",
        "GITHUB_PAT", "OPENAI_KEY", "Authorization", "client_secret",
        "GOOGLE_APPLICATION_CREDENTIALS", "token"}) {
    EXPECT_TRUE(IsSecretName(name)) << name;
  }
}

TEST(MaskTest, LeavesOtherNamesAlone) {
  for (const char* name :
       {"PWD", "OLDPWD", "tokens_per_s", "tokenizer", "key", "key_parts",
        "sort_key", "eos_token", "pad_token", "NCCL_DEBUG", "PATH", "", "---",
        "SSH_AUTH_SOCK", "pattern", "compass", "XAUTHORITY"}) {
    EXPECT_FALSE(IsSecretName(name)) << name;
  }
}

TEST(MaskTest, MasksTexts) {
  const struct {
    const char* text;
    const char* masked;
  } cases[] = {
      {"", ""},
      {"nothing here", "nothing here"},
      {"HF_TOKEN=abc run", "HF_TOKEN=*** run"},
      {"--api-key=abc", "--api-key=***"},
      {"PASSWORD=\"a b\" x", "PASSWORD=*** x"},
      {"PASSWORD=\"never closed", "PASSWORD=***"},
      {"HF_TOKEN=", "HF_TOKEN="},
      {"Authorization: Bearer abc.def", "Authorization: Bearer ***"},
      {"git clone https://me:pw@host/x", "git clone https://me:***@host/x"},
      {"http://host:6000/a@b", "http://host:6000/a@b"},
      {"with hf_abcdefghijklmnopqrst inside", "with *** inside"},
      {"hf_short", "hf_short"},
      {"tokens_per_s=12", "tokens_per_s=12"},
      {"a://", "a://"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(MaskSecrets(c.text), c.masked);
  }
}

TEST(MaskTest, FindsSecretsAmongArguments) {
  const std::vector<std::string> found = {"a", "b=c"};
  EXPECT_EQ(SecretArguments({"run", "--password", "a", "--steps", "5",
                             "--api-key=b=c", "TOKEN=no", "--token"}),
            found);
}

TEST(MaskTest, MasksDocuments) {
  const Json document = Json::parse(R"({
    "env": {"HF_TOKEN": "x", "NCCL_DEBUG": "INFO"},
    "secrets": {"deep": [1, 2]},
    "argv": ["run", "--password", "x", "--steps", "5", "--token=y"],
    "use_token": true, "tokens": 5, "token": null})");
  EXPECT_EQ(MaskDocument(document), Json::parse(R"({
    "env": {"HF_TOKEN": "***", "NCCL_DEBUG": "INFO"},
    "secrets": "***",
    "argv": ["run", "--password", "***", "--steps", "5", "--token=***"],
    "use_token": true, "tokens": 5, "token": null})"));
}

}  // namespace
}  // namespace zs::results
