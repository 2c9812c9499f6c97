// A program whose answer is waited for.
#ifndef RUNNER_AGENT_RUN_BRIEFLY_H_
#define RUNNER_AGENT_RUN_BRIEFLY_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace zs {

// {MS, PROGRAM, ARG...}: "exit N" or "signal N", a line feed, and at most 64
// KiB of what it printed on stdout and stderr. kDeadlineExceeded where it took
// longer than MS; it and its children are then killed.
Result<std::string> RunBriefly(const std::vector<std::string>& args);

}  // namespace zs

#endif  // RUNNER_AGENT_RUN_BRIEFLY_H_
