#include "runner/host/environment.h"

#include <algorithm>

namespace zs {
namespace {

constexpr double kGitS = 5;

}  // namespace

GitState ReadGitStatus(std::string_view status) {
  // "# branch.oid COMMIT" or "(initial)", other lines with '#', and a line for
  // each change (git-status(1), porcelain format version 2).
  constexpr std::string_view kCommit = "# branch.oid ";
  GitState state;
  while (!status.empty()) {
    const std::string_view line = status.substr(0, status.find('\n'));
    status.remove_prefix(std::min(line.size() + 1, status.size()));
    if (line.starts_with(kCommit) && !line.ends_with("(initial)")) {
      state.commit = line.substr(kCommit.size());
    }
    state.dirty = state.dirty || (!line.empty() && line.front() != '#');
  }
  return state;
}

GitLook::GitLook(const std::string& folder)
    : command_(StartedCommand::Start(
          // Nobody waits for the index that git would like to write.
          {"git", "--no-optional-locks", "-C", folder, "status",
           "--porcelain=v2", "--branch", "--untracked-files=no"})) {}

GitState GitLook::Take() {
  const auto status = command_.ok() ? command_->Output(kGitS)
                                    : Result<std::string>(command_.status());
  return status.ok() ? ReadGitStatus(*status) : GitState();
}

Json EnvironmentJson(const Machine& machine, const GitState& git,
                     const std::map<std::string, std::string>& variables) {
  return {{"machine", ToJson(machine)},
          {"git", {{"commit", git.commit}, {"dirty", git.dirty}}},
          {"compiler", __VERSION__},
          {"variables", variables}};
}

}  // namespace zs
