#include "runner/plan/fingerprint.h"

#include <string>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

std::string Put(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "/fingerprint_" + name;
  EXPECT_OK(WriteFileAtomically(path, text));
  return path;
}

TEST(DataFingerprintTest, HoldsContentAndNoNames) {
  const std::string a = Put("a", "abc");
  const std::string b = Put("b", "");
  const auto text = DataFingerprint({.kind = "text", .paths = {a, b}});
  ASSERT_OK(text);
  const Json json = *ParseJson(*text);
  ASSERT_EQ(json["files"].size(), 2u);
  EXPECT_EQ(json["files"][0]["bytes"], 3);
  EXPECT_EQ(json["files"][0]["sha256"], Sha256Hex("abc"));
  EXPECT_EQ(text->find("fingerprint_"), std::string::npos);
  EXPECT_EQ(*DataFingerprint({.kind = "text", .paths = {Put("c", "abc"), b}}),
            *text);
}

TEST(DataFingerprintTest, PrefixesStandForBothFiles) {
  Put("p.bin", "tokens");
  Put("p.idx", "index");
  const auto text = DataFingerprint(
      {.kind = "megatron", .paths = {::testing::TempDir() + "/fingerprint_p"}});
  ASSERT_OK(text);
  EXPECT_EQ((*ParseJson(*text))["files"][1]["sha256"], Sha256Hex("index"));
}

TEST(DataFingerprintTest, LargeFilesAreSampledFromFirstToLast) {
  std::string bytes(5 << 20, 'x');
  const auto hash = [&] {
    const auto text = DataFingerprint(
        {.kind = "text", .paths = {Put("large", bytes)}}, /*full_bytes=*/0);
    return text.ok()
               ? (*ParseJson(*text))["files"][0].value("sample_sha256", "")
               : text.status().ToString();
  };
  const std::string before = hash();
  EXPECT_EQ(before.size(), 64u);
  bytes.front() = 'y';
  const std::string first = hash();
  bytes.back() = 'y';
  EXPECT_NE(first, before);
  EXPECT_NE(hash(), first);
}

TEST(DataFingerprintTest, NamesAMissingFile) {
  EXPECT_STATUS(DataFingerprint({.kind = "text", .paths = {"/no/such"}}),
                StatusCode::kNotFound, "/no/such");
  EXPECT_EQ(*DataFingerprint({.kind = "random"}), R"({"kind":"random"})");
}

}  // namespace
}  // namespace zs
