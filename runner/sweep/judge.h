// The three states of a run, formed here and nowhere else: how its processes
// ended, what its numbers are worth, and whether it passed.
#ifndef RUNNER_SWEEP_JUDGE_H_
#define RUNNER_SWEEP_JUDGE_H_

#include "results/store/record.h"
#include "runner/backend/run_record.h"
#include "runner/plan/spec/experiment.h"
#include "runner/supervise/outcome.h"
#include "runner/sweep/measured.h"

namespace zs {

// The states of a run of EXPERIMENT that ended as ENDED and told MEASURED.
// WANTED: what it had to tell (fewer steps than the experiment's where it began
// at a checkpoint). A run passes only where everything needed for that
// is known and holds. The time of the end is the caller's to fill in.
results::RunOutcome Judge(const Experiment& experiment, const RunOutcome& ended,
                          const Measured& measured, const Completion& wanted);

}  // namespace zs

#endif  // RUNNER_SWEEP_JUDGE_H_
