#include "results/report/golden.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "gtest/gtest.h"

namespace zs::results {

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = "results/report/testdata/" + name;
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (std::getenv("UPDATE_GOLDEN") != nullptr && workspace != nullptr) {
    std::ofstream(std::string(workspace) + "/" + path) << text;
    return;
  }
  std::ifstream file(path);
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, golden) << path
                          << ": if the new text is right, run\n  "
                             "UPDATE_GOLDEN=1 bazel run "
                          << std::getenv("TEST_TARGET");
}

}  // namespace zs::results
