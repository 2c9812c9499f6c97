// What processes that do not get on are doing, looked at from outside before
// they are ended.
#ifndef RUNNER_AGENT_EVIDENCE_H_
#define RUNNER_AGENT_EVIDENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runner/agent/process_table.h"

namespace zs {

// First one line for each of PROCESSES:
//   process PID RANK STATE THREADS WCHAN NAME
// RANK is what its environment says, -1 where it says nothing; STATE as in ps;
// WCHAN the kernel function it sleeps in, "-" where that is not told. Then, as
// far as BUDGET_MS allow, a section "--- PID ..." for each with its kernel
// stack, where it may be read, and its stacks as py-spy (for Python) or gdb
// tells them, where this host has it. At most 512 KiB.
std::string Evidence(const std::vector<ProcessInfo>& processes,
                     int64_t budget_ms);

}  // namespace zs

#endif  // RUNNER_AGENT_EVIDENCE_H_
