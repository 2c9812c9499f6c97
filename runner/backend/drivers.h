// All backends in one table.
#ifndef RUNNER_BACKEND_DRIVERS_H_
#define RUNNER_BACKEND_DRIVERS_H_

#include "runner/backend/driver.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

// The driver of BACKEND, which lives as long as the program; null where this
// runner has none.
const BackendDriver* DriverOf(Backend backend);

}  // namespace zs

#endif  // RUNNER_BACKEND_DRIVERS_H_
