// From the JSON of an evaluated experiment file to a Sweep, or all that is
// wrong with it.
#ifndef RUNNER_PLAN_SPEC_VALIDATE_H_
#define RUNNER_PLAN_SPEC_VALIDATE_H_

#include <vector>

#include "base/json.h"
#include "runner/plan/spec/experiment.h"
#include "runner/plan/spec/fault.h"

namespace zs {

// Reads DOCUMENT and appends what is wrong to FAULTS: unknown, missing,
// mistyped and out-of-range fields, names that stand twice, unknown needs,
// cycles, parts of an experiment that contradict each other (batch
// arithmetic), and an empty matrix. The sweep is to be used only where there
// is no fault. Takes any document; time is linear in its size but for sorting.
Sweep ReadSweep(const Json& document, std::vector<Fault>& faults);

}  // namespace zs

#endif  // RUNNER_PLAN_SPEC_VALIDATE_H_
