// The runner's only loop: starts the ranks of one run on their nodes, watches
// them, ends all of them when one fails, and verifies that nothing is left.
#ifndef RUNNER_SUPERVISE_SUPERVISE_H_
#define RUNNER_SUPERVISE_SUPERVISE_H_

#include "runner/reach/agent_pool.h"
#include "runner/supervise/observer.h"
#include "runner/supervise/outcome.h"
#include "runner/supervise/request.h"
#include "runner/supervise/stop_source.h"

namespace zs {

// Carries out one run and returns when it is torn down everywhere. Blocks; one
// thread; never throws. Whatever goes wrong is in the outcome: a bad request
// (nothing is started), a node that is not there, a full disk under the logs
// (the run goes on and a note says so).
//
// AGENTS keeps the agents of the nodes from run to run. OBSERVER gets all
// output. STOP may ask for the end at any time.
RunOutcome Supervise(const RunRequest& request, AgentPool& agents,
                     RunObserver& observer, const StopSource& stop);

}  // namespace zs

#endif  // RUNNER_SUPERVISE_SUPERVISE_H_
