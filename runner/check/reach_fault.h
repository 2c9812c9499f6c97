// Why a node was not reached, told from what ssh, docker and their kin say.
#ifndef RUNNER_CHECK_REACH_FAULT_H_
#define RUNNER_CHECK_REACH_FAULT_H_

#include <string_view>

#include "runner/check/result.h"

namespace zs {

struct ReachFault {
  std::string_view code;    // "host_key_unknown", ...; "unreachable" otherwise
  std::string_view remedy;  // what to do
};

// MESSAGE holds what the command on the way to the node said last.
ReachFault ReachFaultOf(std::string_view message);

// Makes RESULT a failed "reach" with the fault's code and remedy.
void JudgeReachFault(std::string_view message, CheckResult& result);

}  // namespace zs

#endif  // RUNNER_CHECK_REACH_FAULT_H_
