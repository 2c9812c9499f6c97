#include "runner/host/environment.h"

#include <unistd.h>

#include "runner/host/command_output.h"

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

GitState GitStateOf(const std::string& folder) {
  GitState state;
  const auto commit =
      CommandOutput({"git", "-C", folder, "rev-parse", "HEAD"}, kGitS);
  if (!commit.ok()) {
    return state;
  }
  state.commit = commit->substr(0, commit->find('\n'));
  const auto changes = CommandOutput(
      {"git", "-C", folder, "status", "--porcelain", "--untracked-files=no"},
      kGitS);
  state.dirty = !changes.ok() || !changes->empty();
  return state;
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
