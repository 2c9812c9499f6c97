#include "runner/reach/file_set.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/hash.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHashDigits = 32;

Result<FileSet> SetOf(const std::vector<std::string>& paths) {
  FileSet set;
  std::string content;
  for (const std::string& path : paths) {
    NodeFile file;
    file.path = path;
    file.name = fs::path(path).filename().string();
    ASSIGN_OR_RETURN(file.bytes, FileSizeBytes(path));
    ASSIGN_OR_RETURN(file.sha256, Sha256HexOfFile(path));
    content += file.name + "\n" + file.sha256 + "\n";
    set.files.push_back(std::move(file));
  }
  set.hash = Sha256Hex(content).substr(0, kHashDigits);
  return set;
}

}  // namespace

ProgramParts EnginePartsOn(const std::string& device) {
  return device == "cpu" ? ProgramParts::kAlone : ProgramParts::kWithPlugins;
}

Result<FileSet> ProgramFiles(const std::string& program, ProgramParts parts) {
  std::vector<std::string> paths = {program};
  if (parts == ProgramParts::kWithPlugins) {
    // They stand beside the program as it was named: runfiles are links.
    std::error_code error;
    for (const auto& entry :
         fs::directory_iterator(fs::path(program).parent_path(), error)) {
      if (entry.path().extension() == ".so") {
        paths.push_back(entry.path().string());
      }
    }
    std::sort(paths.begin() + 1, paths.end());
  }
  return SetOf(paths);
}

Result<FileSet> OneFile(const std::string& path) {
  return SetOf({path});
}

Result<FileSet> KnownProgram::Files(ProgramParts parts) {
  std::optional<FileSet>& files = files_[static_cast<size_t>(parts)];
  if (!files) {
    ASSIGN_OR_RETURN(files, ProgramFiles(path_, parts));
  }
  return *files;
}

}  // namespace zs
