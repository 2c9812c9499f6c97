// What Store::Open and Reader::Open say about files that are not what they
// want.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/store/reader.h"
#include "results/store/store.h"

namespace zs::results {
namespace {

TEST(StoreOpenTest, OtherProgramsFilesStayAsTheyAre) {
  const std::string path = ::testing::TempDir() + "/notes.txt";
  std::ofstream(path) << "notes of somebody";
  EXPECT_STATUS(Store::Open({path, 0}), StatusCode::kFailedPrecondition,
                path + ": not an SQLite database");
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, "notes of somebody");
}

TEST(ReaderOpenTest, MissingAndEmptyDatabasesAreNamed) {
  const std::string path = ::testing::TempDir() + "/none.db";
  EXPECT_STATUS(Reader::Open(path), StatusCode::kNotFound,
                path + ": no results database");
  std::ofstream(path).flush();
  EXPECT_STATUS(Reader::Open(path), StatusCode::kNotFound,
                path + ": nothing is recorded yet");
}

}  // namespace
}  // namespace zs::results
