// The time of a step, from a profile and the step's arithmetic.
#ifndef RUNNER_PREDICT_PREDICT_H_
#define RUNNER_PREDICT_PREDICT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/run_config.h"
#include "runner/predict/profile.h"

namespace zs {

// Where the ranks are.
struct Placement {
  int nodes = 1;
  int ranks_per_node = 1;

  int world_size() const { return nodes * ranks_per_node; }
};

// Of one rank, in ms a step. forward + backward + optimizer + exposed + other
// is step, as the engine measures them.
struct StepPrediction {
  double step_ms = 0;  // 0: nothing is predicted, and `why` says why
  double lo_ms = 0;    // what one may expect it to lie between
  double hi_ms = 0;
  double forward_ms = 0;
  double backward_ms = 0;
  double optimizer_ms = 0;
  double exposed_ms = 0;
  double other_ms = 0;
  double communication_ms = 0;  // inside operations, hidden or not, alone
  double tokens_per_s = 0;      // of the global batch
  std::string why;
  std::string note;  // what makes it less sure: "4 ranks share 2 cores"

  // Names and values for the record.
  std::vector<std::pair<std::string, double>> terms() const;
};

// How many ranks of PLACEMENT, beyond the first, each core of a node has to
// run; 0 on GPUs and where each rank has a core.
double CrowdOf(const RunConfig& config, const Placement& placement,
               const MachineProfile& profile);

// The step of CONFIG at PLACEMENT on machines like PROFILE's. Widening of the
// interval: the profile's own error, and where there are more ranks than were
// measured, bandwidth from 0.7 to 1.1 and latency from half to twice what the
// profile says, and 2% for each doubling of the ranks; where ranks share cores
// and the profile does not know what that costs, 30%.
StepPrediction PredictStep(const RunConfig& config, const Placement& placement,
                           const MachineProfile& profile);

}  // namespace zs

#endif  // RUNNER_PREDICT_PREDICT_H_
