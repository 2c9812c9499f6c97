// What a short command of this host prints.
#ifndef RUNNER_HOST_COMMAND_OUTPUT_H_
#define RUNNER_HOST_COMMAND_OUTPUT_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace zs {

// Runs ARGV (searched in PATH, no shell, stdin and stderr empty) and returns
// its stdout, at most 1 MiB. kNotFound: no such program; kDeadlineExceeded:
// killed after TIMEOUT_S; kFailedPrecondition: another status than 0.
Result<std::string> CommandOutput(const std::vector<std::string>& argv,
                                  double timeout_s);

}  // namespace zs

#endif  // RUNNER_HOST_COMMAND_OUTPUT_H_
