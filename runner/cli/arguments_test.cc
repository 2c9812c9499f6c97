#include "runner/cli/arguments.h"

#include <fstream>

#include "gtest/gtest.h"

namespace zs {
namespace {

using Words = std::vector<std::string>;

TEST(ArgumentsTest, AFileAloneIsARun) {
  const auto parsed = ParseArguments({"experiments/sweep.jsonnet", "--rerun"});
  ASSERT_TRUE(parsed.arguments.has_value()) << parsed.text;
  EXPECT_EQ(parsed.arguments->verb, Verb::kRun);
  EXPECT_EQ(parsed.arguments->file.file, "experiments/sweep.jsonnet");
  EXPECT_TRUE(parsed.arguments->rerun);
}

TEST(ArgumentsTest, FlagsMayComeBeforeTheFile) {
  const auto parsed = ParseArguments({"--only", "z0,z1", "-J", "lib", "f", "-A",
                                      "n=a=b", "--tla-code", "m={a:1}"});
  ASSERT_TRUE(parsed.arguments.has_value()) << parsed.text;
  EXPECT_EQ(parsed.arguments->only, (Words{"z0", "z1"}));
  EXPECT_EQ(parsed.arguments->file.jpaths, (Words{"lib"}));
  EXPECT_EQ(parsed.arguments->file.file, "f");
  EXPECT_EQ(parsed.arguments->file.tla_strs, (NameValues{{"n", "a=b"}}));
  EXPECT_EQ(parsed.arguments->file.tla_codes, (NameValues{{"m", "{a:1}"}}));
}

TEST(ArgumentsTest, AFileAsAValueIsReadWhole) {
  const std::string path = ::testing::TempDir() + "/hostfile";
  std::ofstream(path) << "g0033 slots=8\n";
  const auto parsed = ParseArguments({"f", "--tla-str-file", "hosts=" + path});
  ASSERT_TRUE(parsed.arguments.has_value()) << parsed.text;
  EXPECT_EQ(parsed.arguments->file.tla_strs,
            (NameValues{{"hosts", "g0033 slots=8\n"}}));
  const auto missing = ParseArguments({"f", "--tla-str-file", "hosts=/no/f"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.text.find("/no/f"), std::string::npos) << missing.text;
}

TEST(ArgumentsTest, ReportTakesNamesAndFormat) {
  const auto parsed =
      ParseArguments({"report", "--compare", "z0,z1,z2", "--format", "json"});
  ASSERT_TRUE(parsed.arguments.has_value()) << parsed.text;
  EXPECT_EQ(parsed.arguments->verb, Verb::kReport);
  EXPECT_EQ(parsed.arguments->compare, (Words{"z0", "z1", "z2"}));
  EXPECT_EQ(parsed.arguments->format, "json");
}

TEST(ArgumentsTest, EveryVerbsHelpEndsWithAnExample) {
  for (const char* verb : {"run", "plan", "explain", "report", "list", "show",
                           "logs", "diagnose"}) {
    const auto parsed = ParseArguments({verb, "--help"});
    EXPECT_EQ(parsed.exit_code, 0);
    EXPECT_FALSE(parsed.arguments.has_value());
    const size_t example = parsed.text.rfind("Example: runner ");
    ASSERT_NE(example, std::string::npos) << parsed.text;
    // Nothing but the example follows.
    EXPECT_LE(std::count(parsed.text.begin() + static_cast<long>(example),
                         parsed.text.end(), '\n'),
              2)
        << parsed.text;
  }
}

TEST(ArgumentsTest, AWrongCommandLineIsExitTwoAndSaysWhat) {
  struct Case {
    Words words;
    const char* part;
  };
  const Case cases[] = {{{}, "subcommand"},
                        {{"run"}, "FILE"},
                        {{"f", "--nope"}, "--nope"},
                        {{"f", "-A", "novalue"}, "NAME=VALUE"},
                        {{"report", "--format", "xml"}, "xml"},
                        {{"logs", "1", "--rank", "-2"}, "--rank"}};
  for (const Case& test : cases) {
    const auto parsed = ParseArguments(test.words);
    EXPECT_FALSE(parsed.arguments.has_value()) << test.part;
    EXPECT_EQ(parsed.exit_code, 2) << test.part;
    EXPECT_NE(parsed.text.find(test.part), std::string::npos) << parsed.text;
  }
}

TEST(ArgumentsTest, CheckTakesAFileAndAFormat) {
  const auto parsed = ParseArguments(
      {"check", "f.jsonnet", "--only", "z0", "--format", "json"});
  ASSERT_TRUE(parsed.arguments.has_value()) << parsed.text;
  EXPECT_EQ(parsed.arguments->verb, Verb::kCheck);
  EXPECT_EQ(parsed.arguments->file.file, "f.jsonnet");
  EXPECT_EQ(parsed.arguments->format, "json");
}

TEST(ArgumentsTest, VerbsAboutFigures) {
  const auto predict = ParseArguments(
      {"predict", "f", "--topology", "nodes=4", "--profile", "h200"});
  ASSERT_TRUE(predict.arguments.has_value()) << predict.text;
  EXPECT_EQ(predict.arguments->verb, Verb::kPredict);
  EXPECT_EQ(predict.arguments->figure.topology, "nodes=4");
  const auto why = ParseArguments({"why", "f", "z0", "train.lr"});
  ASSERT_TRUE(why.arguments.has_value()) << why.text;
  EXPECT_EQ(why.arguments->figure.path, "train.lr");
  const auto serve = ParseArguments({"serve", "--port", "8080"});
  ASSERT_TRUE(serve.arguments.has_value()) << serve.text;
  EXPECT_EQ(serve.arguments->figure.listen, "127.0.0.1");
  EXPECT_FALSE(ParseArguments({"export", "--format", "xml"}).arguments);
  EXPECT_FALSE(ParseArguments({"predict", "f"}).arguments);
}

}  // namespace
}  // namespace zs
