// Gives each file that is named, or that lies in a folder that is named, to a
// fuzz target once: for compilers without libFuzzer, and to look into a
// finding.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// PATH itself, or the regular files below it.
std::vector<std::string> FilesOf(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return {path};
  }
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(path, error)) {
    if (entry.is_regular_file(error)) {
      files.push_back(entry.path().string());
    }
  }
  return files;
}

bool Replay(const std::string& path) {
  const auto text = zs::ReadFile(path);
  if (!text.ok()) {
    std::fprintf(stderr, "%s\n", text.status().ToString().c_str());
    return false;
  }
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text->data()),
                         text->size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  int count = 0;
  for (int i = 1; i < argc; ++i) {
    for (const std::string& path : FilesOf(argv[i])) {
      if (!Replay(path)) {
        return 1;
      }
      ++count;
    }
  }
  std::printf("%d inputs, no finding\n", count);
  return count > 0 ? 0 : 1;
}
