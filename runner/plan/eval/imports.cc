#include "runner/plan/eval/imports.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/files.h"

namespace zs {
namespace {

// PATH without links and dots; empty where there is nothing.
std::string RealPath(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(
      ::realpath(path.c_str(), nullptr), &std::free);
  return real == nullptr ? "" : real.get();
}

std::string Joined(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.back() == '/' ? folder + name
                                                : folder + "/" + name;
}

}  // namespace

Imports::Imports(const std::vector<std::string>& roots,
                 std::vector<std::string> folders)
    : folders_(std::move(folders)) {
  for (const auto* list : {&roots, &std::as_const(folders_)}) {
    for (const std::string& folder : *list) {
      const std::string real = RealPath(folder.empty() ? "." : folder);
      if (!real.empty()) {
        roots_.push_back(real.back() == '/' ? real : real + '/');
      }
    }
  }
}

bool Imports::IsAllowed(const std::string& real_path) const {
  return std::any_of(roots_.begin(), roots_.end(), [&](const auto& root) {
    return real_path.compare(0, root.size(), root) == 0;
  });
}

Result<Source> Imports::Find(const std::string& base,
                             const std::string& name) const {
  if (name.empty() || name[0] == '/') {
    return Status(StatusCode::kPermissionDenied,
                  "import of '" + name +
                      "': absolute paths are not allowed; give it relative to "
                      "this file, or add its folder with -J");
  }
  std::vector<std::string> places = {base};
  places.insert(places.end(), folders_.begin(), folders_.end());
  std::string looked;
  for (const std::string& place : places) {
    const std::string path = Joined(place, name);
    looked += (looked.empty() ? "" : ", ") + path;
    const std::string real = RealPath(path);
    if (real.empty()) {
      continue;
    }
    if (!IsAllowed(real)) {
      return Status(StatusCode::kPermissionDenied,
                    "import of '" + name + "': " + real +
                        " lies outside the experiment file's folder, the "
                        "library and the folders given with -J");
    }
    // Between realpath and here only who may write those folders could
    // replace the file; a link put there would still not leave them unseen,
    // since the real path has none.
    ASSIGN_OR_RETURN(std::string text, ReadFile(real, kMaxSourceBytes));
    return Source{.path = path, .text = std::move(text)};
  }
  return NotFoundError("import of '" + name + "': not found; looked at " +
                       looked);
}

}  // namespace zs
