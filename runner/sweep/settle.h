// Nodes of which nobody knows that an earlier run has left nothing there: its
// runner died, or the node could not be reached when it ended.
#ifndef RUNNER_SWEEP_SETTLE_H_
#define RUNNER_SWEEP_SETTLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/store/record.h"
#include "results/store/store.h"
#include "runner/check/preflight.h"
#include "runner/plan/spec/experiment.h"
#include "runner/reach/agent_pool.h"
#include "runner/supervise/outcome.h"

namespace zs {

// Fills in the receipt of ROW.
void SetReceipt(const CleanupReceipt& receipt, results::NodeRow& row);

// Looks at the nodes of EXPERIMENT that the record does not know to be clean,
// ends what earlier runs have left there, and records what was found and what
// the node has kept of those runs (findings of the sweep). One check result for
// each node that is still not clean; empty: the experiment may start. An error
// is one of the record.
Result<std::vector<CheckResult>> SettleNodes(const Experiment& experiment,
                                             int64_t sweep_id,
                                             int64_t now_unix_ms,
                                             results::Store& store,
                                             AgentPool& agents);

}  // namespace zs

#endif  // RUNNER_SWEEP_SETTLE_H_
