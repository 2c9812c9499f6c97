#include "runner/host/installation.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace zs {
namespace {

namespace fs = std::filesystem;

constexpr char kEngine[] = "engine/engine";
constexpr char kAgent[] = "runner/agent/agent";
constexpr char kExperiments[] = "experiments";

// The first of the places that is not below ROOT; empty where all are.
std::string MissingBelow(const fs::path& root) {
  for (const char* place : {kEngine, kAgent, kExperiments}) {
    std::error_code error;
    if (!fs::exists(root / place, error)) {
      return (root / place).string();
    }
  }
  return {};
}

}  // namespace

Result<Installation> FindInstallation(const std::string& executable,
                                      const std::string& started_as) {
  // A runner is <root>/runner/runner.
  const fs::path roots[] = {
      fs::path(started_as).parent_path().parent_path(),
      fs::path(executable + ".runfiles") / "zerosweep",
      fs::path(executable).parent_path().parent_path(),
  };
  std::string missing;
  for (const fs::path& root : roots) {
    const std::string place = MissingBelow(root);
    if (place.empty()) {
      return Installation{.root = root.string(),
                          .engine = (root / kEngine).string(),
                          .agent = (root / kAgent).string(),
                          .experiments = (root / kExperiments).string()};
    }
    if (missing.find(place) == std::string::npos) {
      missing += (missing.empty() ? "" : ", ") + place;
    }
  }
  return NotFoundError(
      "the files that come with the runner are not there: " + missing +
      ". Start it with `bazel run //runner`, or install it "
      "with `bazel run //:install`");
}

Result<Installation> FindInstallation() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    return ErrnoError(error.value(), "/proc/self/exe");
  }
  const fs::path name(program_invocation_name);
  const fs::path started_as =
      name.has_parent_path() ? fs::absolute(name, error) : self;
  return FindInstallation(self.string(), started_as.string());
}

}  // namespace zs
