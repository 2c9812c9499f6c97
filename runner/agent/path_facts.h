// Files, folders and limits of this host. Arguments and errors as in Facts
// (facts.h).
#ifndef RUNNER_AGENT_PATH_FACTS_H_
#define RUNNER_AGENT_PATH_FACTS_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace zs {

// {}
Result<std::string> LimitFacts(const std::vector<std::string>& args);

// {PATH}
Result<std::string> PathFacts(const std::vector<std::string>& args);

// {PATH}
Result<std::string> HashFile(const std::vector<std::string>& args);

// {PATH}
Result<std::string> FreeSpace(const std::vector<std::string>& args);

}  // namespace zs

#endif  // RUNNER_AGENT_PATH_FACTS_H_
