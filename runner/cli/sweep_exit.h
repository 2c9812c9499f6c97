// What a sweep's end means to who started the runner.
#ifndef RUNNER_CLI_SWEEP_EXIT_H_
#define RUNNER_CLI_SWEEP_EXIT_H_

#include <string>

#include "runner/sweep/sweep.h"

namespace zs {

// The exit code (exit_code.h). SIGNAL: the one that stopped it, 0 for none.
int ExitCodeOf(const SweepResult& result, int signal);

// "3 passed, 0 failed, 1 cached, 0 skipped".
std::string SummaryOf(const SweepResult& result);

}  // namespace zs

#endif  // RUNNER_CLI_SWEEP_EXIT_H_
