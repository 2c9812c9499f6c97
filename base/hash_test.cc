#include "base/hash.h"

#include <fstream>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

// FIPS 180-4's own example.
constexpr char kAbc[] =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Sha256Test, GivesTheStandardsExample) {
  EXPECT_EQ(Sha256Hex("abc"), kAbc);
  EXPECT_EQ(Sha256Hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256Test, PiecesGiveWhatTheWholeGives) {
  Sha256 hash;
  hash.Update("a");
  hash.Update("bc");
  EXPECT_EQ(hash.HexDigest(), kAbc);
}

TEST(Sha256Test, ReadsFilesAndNamesThoseThatAreMissing) {
  const std::string path = ::testing::TempDir() + "/abc";
  std::ofstream(path) << "abc";
  EXPECT_EQ(*Sha256HexOfFile(path), kAbc);
  EXPECT_STATUS(Sha256HexOfFile(path + ".not"), StatusCode::kNotFound,
                "abc.not");
}

}  // namespace
}  // namespace zs
