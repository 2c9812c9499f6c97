// Predictions for the experiments of a sweep.
#ifndef RUNNER_PREDICT_PREDICT_ALL_H_
#define RUNNER_PREDICT_PREDICT_ALL_H_

#include <vector>

#include "runner/plan/describe.h"
#include "runner/plan/spec/experiment.h"
#include "runner/predict/profile.h"

namespace zs {

// Where EXPERIMENT's ranks are.
Placement PlacementOf(const Experiment& experiment);

// Fills in `step` of each of DERIVED that the engine trains on a device like
// PROFILE's. Equal shapes are computed once.
void PredictAll(const Sweep& sweep, const MachineProfile& profile,
                std::vector<Derived>& derived);

}  // namespace zs

#endif  // RUNNER_PREDICT_PREDICT_ALL_H_
