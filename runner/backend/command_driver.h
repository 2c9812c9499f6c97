// Any program as a backend, alone or under torchrun.
#ifndef RUNNER_BACKEND_COMMAND_DRIVER_H_
#define RUNNER_BACKEND_COMMAND_DRIVER_H_

#include "runner/backend/driver.h"

namespace zs {

const BackendDriver& CommandBackendDriver();

}  // namespace zs

#endif  // RUNNER_BACKEND_COMMAND_DRIVER_H_
