// Interfaces, adapters and versions of this host, as the kernel's files and the
// libraries' names tell them. Arguments and errors as in Facts (facts.h).
#ifndef RUNNER_AGENT_SYSTEM_FACTS_H_
#define RUNNER_AGENT_SYSTEM_FACTS_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace zs {

// {}, or {ROOT}: the tree to look at instead of this host's.
Result<std::string> NetworkFacts(const std::vector<std::string>& args);

// {}, or {ROOT}; the kernel is always this host's.
Result<std::string> VersionFacts(const std::vector<std::string>& args);

}  // namespace zs

#endif  // RUNNER_AGENT_SYSTEM_FACTS_H_
