#include "runner/host/relevant_variable.h"

#include <unistd.h>

namespace zs {
namespace {

// Prefixes end in '_'; the others are whole names.
constexpr std::string_view kRelevant[] = {"NCCL_",
                                          "GLOO_",
                                          "CUDA_",
                                          "CUDNN_",
                                          "CUBLAS_",
                                          "UCX_",
                                          "OMP_",
                                          "MKL_",
                                          "OPENBLAS_",
                                          "DNNL_",
                                          "TORCH_",
                                          "PYTORCH_",
                                          "GOMP_",
                                          "KMP_",
                                          "FI_",
                                          "IBV_",
                                          "SLURM_",
                                          "MALLOC_",
                                          "LD_LIBRARY_PATH",
                                          "LD_PRELOAD",
                                          "NVTE_",
                                          "TRITON_",
                                          "GLIBC_",
                                          "PYTHONPATH",
                                          "PYTHONHOME"};

}  // namespace

bool IsRelevantVariable(std::string_view name) {
  for (const std::string_view entry : kRelevant) {
    if (entry.back() == '_' ? name.starts_with(entry) : name == entry) {
      return true;
    }
  }
  return false;
}

std::map<std::string, std::string> RelevantVariables(
    const std::vector<std::string>& entries) {
  std::map<std::string, std::string> variables;
  for (const std::string& entry : entries) {
    const size_t equals = entry.find('=');
    if (equals != std::string::npos &&
        IsRelevantVariable(std::string_view(entry).substr(0, equals))) {
      variables[entry.substr(0, equals)] = entry.substr(equals + 1);
    }
  }
  return variables;
}

std::map<std::string, std::string> RelevantVariables() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return RelevantVariables(entries);
}

bool IsOfTheJob(std::string_view name) {
  return name.starts_with("SLURM_");
}

}  // namespace zs
