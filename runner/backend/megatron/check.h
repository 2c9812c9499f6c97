// What is known to go wrong with Megatron-LM before it is started.
#ifndef RUNNER_BACKEND_MEGATRON_CHECK_H_
#define RUNNER_BACKEND_MEGATRON_CHECK_H_

#include <optional>
#include <string>
#include <vector>

#include "runner/backend/driver.h"
#include "runner/backend/megatron/stage_flags.h"
#include "runner/backend/megatron/version.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

// The family that the experiment's `data_parallel` names.
MegatronFamily FamilyOf(const Experiment& experiment);

// All that can be said of EXPERIMENT (backend megatron): the stage that will
// be in effect, flags that contradict each other, environment, checkpoint
// format, vocabulary. VERSION absent: not known yet, and what depends on it is
// not checked. Errors forbid the start.
std::vector<PlanNote> MegatronNotes(
    const Experiment& experiment,
    const std::optional<MegatronVersion>& version);

}  // namespace zs

#endif  // RUNNER_BACKEND_MEGATRON_CHECK_H_
