#include "results/report/golden.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "gtest/gtest.h"

namespace zs::results {

namespace {

// The first line that differs, from both.
std::string FirstDifference(const std::string& text,
                            const std::string& golden) {
  std::istringstream left(text);
  std::istringstream right(golden);
  std::string a;
  std::string b;
  int line = 0;
  do {
    ++line;
    a = b = "(end)";
    std::getline(left, a);
    std::getline(right, b);
  } while (a == b && left && right);
  return "line " + std::to_string(line) + "\n  is:   " + a + "\n  want: " + b +
         "\n";
}

}  // namespace

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = "results/report/testdata/" + name;
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (std::getenv("UPDATE_GOLDEN") != nullptr && workspace != nullptr) {
    std::ofstream(std::string(workspace) + "/" + path) << text;
    return;
  }
  std::ifstream file(path);
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(text == golden) << FirstDifference(text, golden) << path
                              << ": if the new text is right, run\n  "
                                 "UPDATE_GOLDEN=1 bazel run "
                              << "(this test)";
}

}  // namespace zs::results
