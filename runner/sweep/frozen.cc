#include "runner/sweep/frozen.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/files.h"
#include "base/hash.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

// PROGRAM and the plug-ins beside it.
std::vector<fs::path> Parts(const fs::path& program) {
  std::vector<fs::path> parts = {program};
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator(program.parent_path(), error)) {
    if (entry.path().extension() == ".so") {
      parts.push_back(entry.path());
    }
  }
  return parts;
}

// Copies PART to FOLDER so that it is there whole or not at all.
Status CopyWhole(const fs::path& part, const fs::path& folder) {
  const fs::path target = folder / part.filename();
  std::error_code error;
  if (fs::exists(target, error)) {
    return OkStatus();
  }
  const fs::path temporary =
      target.string() + ".tmp." + std::to_string(::getpid());
  fs::copy_file(part, temporary, fs::copy_options::overwrite_existing, error);
  if (!error) {
    fs::permissions(temporary, fs::perms(0755), error);
  }
  if (!error) {
    fs::rename(temporary, target, error);
  }
  if (error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return ErrnoError(error.value(),
                      "copy " + part.string() + " to " + target.string());
  }
  return OkStatus();
}

}  // namespace

Result<FrozenProgram> Freeze(const std::string& program,
                             const std::string& folder) {
  std::error_code error;
  const fs::path original = fs::canonical(program, error);
  if (error) {
    return ErrnoError(error.value(), program);
  }
  ASSIGN_OR_RETURN(std::string sha256, Sha256HexOfFile(original.string()));
  const fs::path target = fs::path(folder) / sha256.substr(0, 16);
  RETURN_IF_ERROR(MakeFolders(target.string()));
  // Plug-ins stand beside the program as it was named (runfiles are links).
  for (const fs::path& part : Parts(program)) {
    RETURN_IF_ERROR(CopyWhole(part, target));
  }
  return FrozenProgram{
      .path = fs::absolute(target / fs::path(program).filename()).string(),
      .sha256 = std::move(sha256)};
}

}  // namespace zs
