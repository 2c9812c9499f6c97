// Measures collective operations as nccl-tests does.
#ifndef ENGINE_COLLECTIVES_MEASURE_H_
#define ENGINE_COLLECTIVES_MEASURE_H_

#include <functional>

#include "base/status.h"
#include "engine/api/collectives_config.h"
#include "engine/api/event.h"
#include "engine/comm/communicator.h"
#include "engine/comm/pattern.h"
#include "engine/ops/ops.h"

namespace zs {

// What is measured with; all of it outlives the call.
struct CollectivesParts {
  Communicator& comm;
  Ops& ops;                      // memory and clock of the device
  PatternMemory& pattern;        // in that memory
  std::function<Status()> stop;  // kCancelled once it is to end
  std::function<Status(const CollectiveEvent&)> report;
};

// Every operation of CONFIG on every size, out of place and in place
// (send_receive has no such form): poisoned outputs, one call whose every
// element is compared with the exact result, warm-up calls, then the measured
// ones back to back. Fp32; sizes are rounded down to whole elements for each
// rank, and left out where there is not even one. REPORT is called on rank 0.
// Returns the number of measurements.
//
// kFailedPrecondition after the last one where elements were wrong: the sizes
// and counts have been reported.
Result<int64_t> MeasureCollectives(const CollectivesConfig& config,
                                   const CollectivesParts& parts);

}  // namespace zs

#endif  // ENGINE_COLLECTIVES_MEASURE_H_
