// How a sweep on record says who asked for it.
#ifndef RUNNER_CLI_SWEEP_START_H_
#define RUNNER_CLI_SWEEP_START_H_

#include <string>

#include "base/clock.h"
#include "results/store/record.h"
#include "runner/cli/arguments.h"
#include "runner/sweep/prepare.h"

namespace zs {

// For VERB ("run", "check") of this process; secrets are masked.
results::SweepStart SweepStartOf(const std::string& verb, const Arguments& a,
                                 const Preparation& preparation,
                                 const Clock& clock);

}  // namespace zs

#endif  // RUNNER_CLI_SWEEP_START_H_
