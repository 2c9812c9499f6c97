// Makes a machine profile out of measured runs.
#ifndef RUNNER_PREDICT_FIT_H_
#define RUNNER_PREDICT_FIT_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "engine/api/run_config.h"
#include "runner/predict/predict.h"
#include "runner/predict/profile.h"

namespace zs {

// The medians of a run.
struct Observed {
  std::string name;
  RunConfig config;
  Placement placement;
  double step_ms = 0;
  double forward_ms = 0;
  double backward_ms = 0;
  double optimizer_ms = 0;
  double exposed_ms = 0;
  double communication_ms = 0;  // inside operations
};

// What the fit cannot know from the runs.
struct FitOptions {
  std::string name;
  std::string source;
  std::string match;  // part of the CPU's or GPU's name
  double cores = 1;
};

// Rates from runs of one rank with one thread (products by width, attention,
// memory, optimizer; non-negative least squares of relative errors), the gain
// of more threads from one with more, links from runs of several ranks without
// overlap, interference from those with, turns from runs with more ranks
// than cores. kInvalidArgument says which of these
// is missing.
Result<MachineProfile> FitProfile(const std::vector<Observed>& runs,
                                  const FitOptions& options);

}  // namespace zs

#endif  // RUNNER_PREDICT_FIT_H_
