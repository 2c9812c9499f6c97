// The GPUs of a node, as nvidia-smi tells of them: present, idle, without
// errors that wait for a reset.
#ifndef RUNNER_CHECK_GPUS_H_
#define RUNNER_CHECK_GPUS_H_

#include <string>
#include <string_view>
#include <vector>

#include "runner/check/result.h"

namespace zs {

// A shell script that prints a line of CSV for each GPU, then a line "apps",
// then one for each process that computes on them.
std::string GpuScript();

// Judges what the script PRINTED (its output and exit status as the agent
// tells them) into the results "gpus" (WANTED of them, alike on all nodes),
// "gpu_idle" and "gpu_errors". Where nvidia-smi is missing or says something
// else all three are unknown. NODE gives name, node and repeat.
std::vector<CheckResult> JudgeGpus(const std::string& answer, int wanted,
                                   const CheckResult& node);

}  // namespace zs

#endif  // RUNNER_CHECK_GPUS_H_
