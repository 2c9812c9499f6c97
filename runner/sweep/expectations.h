// What an experiment expects of a run (`expect`) against what was measured.
#ifndef RUNNER_SWEEP_EXPECTATIONS_H_
#define RUNNER_SWEEP_EXPECTATIONS_H_

#include <map>
#include <string>
#include <vector>

#include "runner/plan/spec/experiment.h"
#include "runner/sweep/measured.h"

namespace zs {

struct ExpectationResult {
  std::vector<std::string> broken;   // "max_step_cv: 0.12, allowed 0.05"
  std::vector<std::string> unknown;  // "min_tokens_per_s: not measured"
};

// Looks at each expectation that is set.
ExpectationResult CheckExpectations(const Expect& expect,
                                    const Measured& measured);

// Whether each expectation that is set is in ASKED, which has limits by the
// names of their fields, with the same limit.
bool WereAsked(const Expect& expect,
               const std::map<std::string, double>& asked);

}  // namespace zs

#endif  // RUNNER_SWEEP_EXPECTATIONS_H_
