// Megatron-LM under torchrun, or a user's own script around it, as a backend.
#ifndef RUNNER_BACKEND_MEGATRON_MEGATRON_DRIVER_H_
#define RUNNER_BACKEND_MEGATRON_MEGATRON_DRIVER_H_

#include "runner/backend/driver.h"

namespace zs {

const BackendDriver& MegatronBackendDriver();

}  // namespace zs

#endif  // RUNNER_BACKEND_MEGATRON_MEGATRON_DRIVER_H_
