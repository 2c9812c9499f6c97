// The engine as a backend.
#ifndef RUNNER_BACKEND_ENGINE_DRIVER_H_
#define RUNNER_BACKEND_ENGINE_DRIVER_H_

#include "runner/backend/driver.h"

namespace zs {

const BackendDriver& EngineBackendDriver();

}  // namespace zs

#endif  // RUNNER_BACKEND_ENGINE_DRIVER_H_
