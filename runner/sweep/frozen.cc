#include "runner/sweep/frozen.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/hash.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHashDigits = 16;

// Copies FILE to FOLDER so that it is there whole, as it was hashed, or not at
// all.
Status CopyWhole(const NodeFile& file, const fs::path& folder) {
  const fs::path target = folder / file.name;
  std::error_code error;
  if (fs::exists(target, error)) {
    return OkStatus();
  }
  const fs::path temporary =
      target.string() + ".tmp." + std::to_string(::getpid());
  fs::copy_file(file.path, temporary, fs::copy_options::overwrite_existing,
                error);
  if (!error) {
    fs::permissions(temporary, fs::perms(0755), error);
  }
  const auto sha256 = Sha256HexOfFile(temporary.string());
  const bool same = sha256.ok() && *sha256 == file.sha256;
  if (!error && same) {
    fs::rename(temporary, target, error);
  }
  if (error || !same) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
  }
  if (error) {
    return ErrnoError(error.value(),
                      "copy " + file.path + " to " + target.string());
  }
  return same ? OkStatus()
              : DataLossError(file.path +
                              ": it changed while it was copied; run again "
                              "when it is built");
}

}  // namespace

Result<std::string> Freeze(const std::string& program, ProgramParts parts,
                           const std::string& folder) {
  ASSIGN_OR_RETURN(const FileSet files, ProgramFiles(program, parts));
  const fs::path target = fs::path(folder) / files.hash.substr(0, kHashDigits);
  RETURN_IF_ERROR(MakeFolders(target.string()));
  for (const NodeFile& file : files.files) {
    RETURN_IF_ERROR(CopyWhole(file, target));
  }
  return fs::absolute(target / files.files.front().name).string();
}

}  // namespace zs
