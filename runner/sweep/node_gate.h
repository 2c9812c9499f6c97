// The nodes of a sweep's experiments: looked at before anything is started
// there, and heard for the experiments' keys.
#ifndef RUNNER_SWEEP_NODE_GATE_H_
#define RUNNER_SWEEP_NODE_GATE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"
#include "runner/sweep/attempt.h"
#include "runner/sweep/node_checks.h"
#include "runner/sweep/prepare.h"

namespace zs {

// Errors are those of the record. Not thread-safe.
class NodeGate {
 public:
  // TOOLS and PREPARATION outlive it.
  NodeGate(SweepTools& tools, Preparation& preparation,
           const std::string& artifact_root)
      : tools_(tools),
        preparation_(preparation),
        checks_(tools.agents,
                {.engine = &tools.engine, .artifact_root = artifact_root}) {}

  // Asks the nodes on whose answers decisions hang, until MUST_STOP, and
  // decides anew. Before the experiments of sweep SWEEP_ID are recorded.
  Status Decide(int64_t sweep_id, const std::function<bool()>& must_stop);

  // The checks of the nodes of experiment I; where they are well they are on
  // record, and the experiment's key is complete: there, too, where it has an
  // EXPERIMENT_ID. Valid until the next call.
  Result<const NodeChecks::Found*> Check(int64_t sweep_id, size_t i,
                                         int64_t experiment_id);

 private:
  SweepTools& tools_;
  Preparation& preparation_;
  NodeChecks checks_;
};

}  // namespace zs

#endif  // RUNNER_SWEEP_NODE_GATE_H_
