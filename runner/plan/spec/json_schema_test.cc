#include "runner/plan/spec/json_schema.h"

#include <cstdlib>
#include <set>
#include <string>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

constexpr char kFile[] = "docs/experiment.schema.json";

// All names of fields in SCHEMA.
void Collect(const Json& schema, std::set<std::string>* names) {
  if (schema.contains("properties")) {
    for (const auto& item : schema["properties"].items()) {
      names->insert(item.key());
      Collect(item.value(), names);
    }
  }
  if (schema.contains("items")) {
    Collect(schema["items"], names);
  }
}

// UPDATE_GOLDEN=1 bazel run //runner/plan/spec:json_schema_test
TEST(JsonSchemaTest, TheFileInDocsIsThatOfTheReader) {
  const std::string made = DumpJsonPretty(ExperimentJsonSchema()) + "\n";
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (std::getenv("UPDATE_GOLDEN") != nullptr && workspace != nullptr) {
    ASSERT_OK(WriteFileAtomically(std::string(workspace) + "/" + kFile, made));
    return;
  }
  const auto kept = ReadFile(kFile);
  ASSERT_OK(kept);
  EXPECT_EQ(*kept, made)
      << "UPDATE_GOLDEN=1 bazel run //runner/plan/spec:json_schema_test";
}

TEST(JsonSchemaTest, EveryFieldIsDescribedInTheDocumentation) {
  const auto text = ReadFile("docs/experiment-file.md");
  ASSERT_OK(text);
  std::set<std::string> names;
  Collect(ExperimentJsonSchema(), &names);
  EXPECT_GT(names.size(), 80u);
  for (const std::string& name : names) {
    EXPECT_NE(text->find("`" + name + "`"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace zs
