#include "engine/loaded_libraries.h"

#include <cstdio>
#include <filesystem>
#include <regex>
#include <string>

#include "gtest/gtest.h"

namespace zs {
namespace {

// What readelf, an independent reader, says of the C library's build.
std::string BuildByReadelf(const std::string& path) {
  std::string text;
  const std::string command = "readelf -n '" + path + "' 2>/dev/null";
  if (FILE* const pipe = ::popen(command.c_str(), "r")) {
    char buffer[4096];
    while (const size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) {
      text.append(buffer, n);
    }
    ::pclose(pipe);
  }
  std::smatch found;
  return std::regex_search(text, found, std::regex("Build ID: ([0-9a-f]+)"))
             ? found[1].str()
             : "";
}

TEST(LoadedLibrariesTest, NamesEachWithItsBuild) {
  const std::string lines = LoadedLibraries();
  std::smatch libc;
  ASSERT_TRUE(std::regex_search(
      lines, libc, std::regex("(^|\n)(libc[.-][^ ]*) ([0-9a-f]{40})\n")))
      << lines;
  EXPECT_NE(lines.find("libstdc++.so.6"), std::string::npos) << lines;
  EXPECT_EQ(lines.find("vdso"), std::string::npos) << lines;
  for (const char* folder :
       {"/lib/x86_64-linux-gnu/", "/lib64/", "/lib/aarch64-linux-gnu/"}) {
    const std::string build = BuildByReadelf(folder + libc[2].str());
    if (!build.empty()) {
      EXPECT_EQ(libc[3].str(), build);
    }
  }
}

}  // namespace
}  // namespace zs
