#include "runner/host/environment.h"

#include <unistd.h>

#include <algorithm>

namespace zs {
namespace {

constexpr double kGitS = 5;

// Prefixes end in '_'; the others are whole names.
constexpr std::string_view kRelevant[] = {
    "NCCL_",  "GLOO_",    "CUDA_",           "CUDNN_",     "CUBLAS_",
    "UCX_",   "OMP_",     "OPENBLAS_",       "MKL_",       "DNNL_",
    "TORCH_", "PYTORCH_", "GOMP_",           "KMP_",       "FI_",
    "IBV_",   "SLURM_",   "LD_LIBRARY_PATH", "LD_PRELOAD", "MALLOC_"};

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

bool IsRelevantVariable(std::string_view name) {
  for (const std::string_view entry : kRelevant) {
    if (entry.back() == '_' ? name.starts_with(entry) : name == entry) {
      return true;
    }
  }
  return false;
}

std::map<std::string, std::string> RelevantVariables() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos &&
        IsRelevantVariable(text.substr(0, equals))) {
      variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
    }
  }
  return variables;
}

Json EnvironmentJson(const Machine& machine, const GitState& git,
                     const std::map<std::string, std::string>& variables) {
  return {{"machine", ToJson(machine)},
          {"git", {{"commit", git.commit}, {"dirty", git.dirty}}},
          {"compiler", __VERSION__},
          {"variables", variables}};
}

}  // namespace zs
