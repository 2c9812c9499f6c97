// What a run allocates itself.
#ifndef RESULTS_REPORT_MEMORY_SUM_H_
#define RESULTS_REPORT_MEMORY_SUM_H_

#include <cstdint>
#include <optional>

#include "results/store/record.h"

namespace zs::results {

// The sum of MEMORY's components, which is what predictions are of; `total`,
// the process's peak, holds the program and its libraries too. Nothing where
// no component is known.
std::optional<int64_t> ComponentsOf(const MemoryRow& memory);

}  // namespace zs::results

#endif  // RESULTS_REPORT_MEMORY_SUM_H_
