// Environment variables that may change what a run measures.
#ifndef RUNNER_HOST_RELEVANT_VARIABLE_H_
#define RUNNER_HOST_RELEVANT_VARIABLE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace zs {

// Whether a variable of this name may change what a run measures: NCCL_*,
// GLOO_*, CUDA_*, OMP_*, OPENBLAS_*, ... Exact names and prefixes, a table.
bool IsRelevantVariable(std::string_view name);

// Those of ENTRIES ("NAME=value"; a later one of a name counts) that are.
std::map<std::string, std::string> RelevantVariables(
    const std::vector<std::string>& entries);

// The relevant variables of this process. Secrets are not masked here.
std::map<std::string, std::string> RelevantVariables();

// Whether a relevant variable tells merely where and for whom a process runs
// (SLURM_JOB_ID, ...), which differs from one terminal to the next: on record,
// but in no key.
bool IsOfTheJob(std::string_view name);

}  // namespace zs

#endif  // RUNNER_HOST_RELEVANT_VARIABLE_H_
