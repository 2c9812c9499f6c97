#include "runner/cli/profiles.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "runner/cli/output.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

// The files of experiments/profiles, by name.
std::vector<fs::path> Shipped(const Installation& installation) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator(installation.experiments + "/profiles", error)) {
    if (entry.path().extension() == ".json") {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool Fits(const MachineProfile& profile, const Machine& machine) {
  return !profile.match.empty() &&
         std::any_of(machine.gpus.begin(), machine.gpus.end(),
                     [&](const Gpu& gpu) {
                       return gpu.name.find(profile.match) != std::string::npos;
                     });
}

Result<MachineProfile> Asked(const std::string& name,
                             const Installation& installation) {
  if (name.find('/') != std::string::npos || name.ends_with(".json")) {
    return ReadProfile(name);
  }
  std::string known;
  for (const fs::path& path : Shipped(installation)) {
    if (path.stem() == name) {
      return ReadProfile(path.string());
    }
    known += (known.empty() ? "" : ", ") + path.stem().string();
  }
  return NotFoundError("--profile: no profile '" + name + "'; there are: " +
                       known + "; a file's name ends in .json");
}

}  // namespace

std::string OwnProfilePath(const std::string& db) {
  return (fs::path(DatabasePath(db)).parent_path() / "profile.json").string();
}

Result<std::optional<MachineProfile>> FindProfile(
    const Arguments& arguments, const Installation& installation,
    const Machine& machine) {
  if (!arguments.figure.profile.empty()) {
    ASSIGN_OR_RETURN(MachineProfile profile,
                     Asked(arguments.figure.profile, installation));
    return std::optional<MachineProfile>(std::move(profile));
  }
  const std::string own = OwnProfilePath(arguments.db);
  std::error_code error;
  if (fs::exists(own, error)) {
    ASSIGN_OR_RETURN(MachineProfile profile, ReadProfile(own));
    return std::optional<MachineProfile>(std::move(profile));
  }
  for (const fs::path& path : Shipped(installation)) {
    ASSIGN_OR_RETURN(MachineProfile profile, ReadProfile(path.string()));
    if (Fits(profile, machine)) {
      return std::optional<MachineProfile>(std::move(profile));
    }
  }
  return std::optional<MachineProfile>();
}

}  // namespace zs
