#include "runner/backend/drivers.h"

#include "runner/backend/collectives_driver.h"
#include "runner/backend/command_driver.h"
#include "runner/backend/engine_driver.h"
#include "runner/backend/megatron/megatron_driver.h"

namespace zs {
namespace {

struct Entry {
  Backend backend;
  const BackendDriver& (*driver)();
};

// A backend is one line here.
constexpr Entry kDrivers[] = {
    {Backend::kEngine, EngineBackendDriver},
    {Backend::kMegatron, MegatronBackendDriver},
    {Backend::kCommand, CommandBackendDriver},
    {Backend::kCollectives, CollectivesBackendDriver},
};

}  // namespace

const BackendDriver* DriverOf(Backend backend) {
  for (const Entry& entry : kDrivers) {
    if (entry.backend == backend) {
      return &entry.driver();
    }
  }
  return nullptr;
}

}  // namespace zs
