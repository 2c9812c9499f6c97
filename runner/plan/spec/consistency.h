// Whether the parts of an experiment fit together, and the experiments of a
// sweep: what no single field can tell.
#ifndef RUNNER_PLAN_SPEC_CONSISTENCY_H_
#define RUNNER_PLAN_SPEC_CONSISTENCY_H_

#include <vector>

#include "runner/plan/spec/experiment.h"
#include "runner/plan/spec/fault.h"

namespace zs {

// Batch arithmetic, the engine's own rules, reach, checkpoints, expectations.
void CheckConsistency(const Experiment& experiment, const Place& place,
                      std::vector<Fault>& faults);

// Names that stand twice, needs that name nothing (with the nearest name),
// cycles (with the names along them), and a matrix of which all is excluded.
void CheckGraph(const Sweep& sweep, std::vector<Fault>& faults);

}  // namespace zs

#endif  // RUNNER_PLAN_SPEC_CONSISTENCY_H_
