// Collective operations alone, measured by the engine, as a backend.
#ifndef RUNNER_BACKEND_COLLECTIVES_DRIVER_H_
#define RUNNER_BACKEND_COLLECTIVES_DRIVER_H_

#include <cstdint>

#include "engine/api/collectives_config.h"
#include "runner/backend/driver.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

const BackendDriver& CollectivesBackendDriver();

// What the engine is asked for this experiment, which has a section
// `collectives`.
CollectivesRun CollectivesRunOf(const Experiment& experiment);

// How many measurements RUN makes on RANKS ranks.
int64_t MeasurementsOf(const CollectivesConfig& config, int ranks);

}  // namespace zs

#endif  // RUNNER_BACKEND_COLLECTIVES_DRIVER_H_
