// What earlier runs have left on this host. Arguments and errors as in Facts
// (facts.h).
#ifndef RUNNER_AGENT_RUN_FACTS_H_
#define RUNNER_AGENT_RUN_FACTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace zs {

// {}: a line "process PID owned|orphan TOKEN NAME" for each live process that
// was started with ZS_RUN_TOKEN and may be looked at; owned where an agent is
// among its ancestors, so that somebody will end it. Then "shm_files N" and
// "shm_bytes N": what NCCL and PyTorch have in /dev/shm.
Result<std::string> LeftoverFacts(const std::vector<std::string>& args);

// Whether NAME in /dev/shm is one that NCCL or PyTorch gives.
bool IsTrainingShm(std::string_view name);

}  // namespace zs

#endif  // RUNNER_AGENT_RUN_FACTS_H_
