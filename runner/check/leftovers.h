// Processes of runs that are on a node before a run is started there.
#ifndef RUNNER_CHECK_LEFTOVERS_H_
#define RUNNER_CHECK_LEFTOVERS_H_

#include <string>

#include "runner/check/result.h"

namespace zs {

// Judges the agent's answer to "leftovers" (runner/agent/run_facts.h).
void JudgeLeftovers(const std::string& answer, CheckResult& result);

// How to look for them by hand.
std::string LeftoverScript();

}  // namespace zs

#endif  // RUNNER_CHECK_LEFTOVERS_H_
