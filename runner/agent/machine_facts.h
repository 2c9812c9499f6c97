// What kind of machine this host is, and what its processes inherit.
#ifndef RUNNER_AGENT_MACHINE_FACTS_H_
#define RUNNER_AGENT_MACHINE_FACTS_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace zs {

// "machine" of Facts (facts.h). {}, or {ROOT}: the tree to look at instead of
// this host's; cores and variables are always this process's.
Result<std::string> MachineFacts(const std::vector<std::string>& args);

// Processors that this process may use.
int UsableCores();

}  // namespace zs

#endif  // RUNNER_AGENT_MACHINE_FACTS_H_
