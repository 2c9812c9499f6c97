// Logs whose names do not say that they are of one run, told by what they hold.
#ifndef RUNNER_OBSERVE_DIAGNOSE_LOG_JOINING_H_
#define RUNNER_OBSERVE_DIAGNOSE_LOG_JOINING_H_

#include <vector>

#include "runner/observe/diagnose/log_group.h"

namespace zs {

// Joins those of GROUPS that stand in one folder and name the same NCCL
// communicator ("commId 0x...": drawn at random for each) near their start.
// What cannot be read, or is compressed, stays as it is. The others keep their
// order.
void JoinByCommunicator(std::vector<LogGroup>& groups);

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_LOG_JOINING_H_
