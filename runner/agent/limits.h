// The limits of processes (setrlimit(2)) by the names that experiments give
// them.
#ifndef RUNNER_AGENT_LIMITS_H_
#define RUNNER_AGENT_LIMITS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/spawn.h"
#include "base/status.h"

namespace zs {

// "open_files=4096" (memlock_bytes, open_files, core_bytes; -1: unlimited) as
// Spawn takes it. kInvalidArgument names a word that is none.
Result<std::vector<ProcessLimit>> ParseLimits(
    const std::vector<std::string>& words);

// Of process PID, or (0) of this one: lines "NAME VALUE" and "hard_NAME VALUE";
// -1 is unlimited. Empty where it is gone.
std::string LimitLines(pid_t pid);

// "memlock_bytes 8388608, open_files 1024, core_bytes unlimited": what PID has.
std::string LimitsInEffect(pid_t pid);

}  // namespace zs

#endif  // RUNNER_AGENT_LIMITS_H_
