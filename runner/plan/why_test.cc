#include "runner/plan/why.h"

#include <filesystem>
#include <fstream>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

class WhyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/why";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Write("base.libsonnet",
          "{\n"
          "  train: {\n"
          "    seq_len: 128,  // seq_len: a comment\n"
          "    steps: 10,\n"
          "  },\n"
          "}\n");
  }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }

  Result<Provenance> Why(const std::string& text, const std::string& field,
                         const std::string& name = "z0") {
    Write("sweep.jsonnet", text);
    EvalRequest request;
    request.file = folder_ + "/sweep.jsonnet";
    return FindOrigins(request, name, field);
  }

  std::string folder_;
};

constexpr char kPlain[] =
    "local base = import 'base.libsonnet';\n"
    "{ experiments: [base + { name: 'z0' }] }\n";

TEST_F(WhyTest, FindsTheLineInAnImport) {
  const auto why = Why(kPlain, "train.seq_len");
  ASSERT_OK(why);
  EXPECT_EQ(why->value, "128");
  ASSERT_EQ(why->origins.size(), 1u);
  EXPECT_TRUE(why->origins[0].decides);
  EXPECT_EQ(why->origins[0].line, 3);
  EXPECT_TRUE(why->origins[0].file.ends_with("base.libsonnet"));
  EXPECT_EQ(why->origins[0].without, "nothing");
  EXPECT_EQ(why->candidates, 2);  // the comment was tried too
}

TEST_F(WhyTest, AnOverrideDecidesAndSaysWhatItReplaced) {
  const auto why =
      Why("local base = import 'base.libsonnet';\n"
          "{ experiments: [base + {\n"
          "  name: 'z0',\n"
          "  train+: { seq_len: 256 },\n"
          "}] }\n",
          "train.seq_len");
  ASSERT_OK(why);
  ASSERT_EQ(why->origins.size(), 1u);
  EXPECT_EQ(why->origins[0].line, 4);
  EXPECT_EQ(why->origins[0].without, "128");
}

TEST_F(WhyTest, WhatIsReadElsewhereIsNamedAfterwards) {
  const auto why =
      Why("local base = import 'base.libsonnet';\n"
          "{ experiments: [{ name: 'z0', "
          "train: { seq_len: 2 * base.train.seq_len } }] }\n",
          "train.seq_len");
  ASSERT_OK(why);
  ASSERT_EQ(why->origins.size(), 2u);
  EXPECT_TRUE(why->origins[0].decides);
  EXPECT_FALSE(why->origins[1].decides);
  EXPECT_EQ(why->origins[1].line, 3);
}

TEST_F(WhyTest, AComputedNameIsNotFoundAndThatIsSaid) {
  const auto why =
      Why("{ experiments: [{ name: 'z0', train: { ['seq_' + 'len']: 7 } }] }",
          "train.seq_len");
  ASSERT_OK(why);
  EXPECT_EQ(why->value, "7");
  EXPECT_TRUE(why->origins.empty());
}

TEST_F(WhyTest, ValuesAndExperimentsThatAreNotThere) {
  const auto none = Why(kPlain, "train.lr");
  ASSERT_OK(none);
  EXPECT_TRUE(none->value.empty());
  EXPECT_EQ(Why(kPlain, "train.lr", "z9").status().code(),
            StatusCode::kNotFound);
}

}  // namespace
}  // namespace zs
