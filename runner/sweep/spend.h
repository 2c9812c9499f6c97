// Which experiments deserve further repeats.
#ifndef RUNNER_SWEEP_SPEND_H_
#define RUNNER_SWEEP_SPEND_H_

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "results/report/comparison.h"
#include "results/store/reader.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

// Whether the interval of RATIO says too little yet: no word stands, and half
// of it is wider than REL_CI.
bool IsOpen(const results::SpeedRatio& ratio, double rel_ci);

// Those of MEMBERS (indices into SWEEP, the first is the baseline) that belong
// to a pair which is open; empty where all are settled or cannot be compared.
Result<std::vector<size_t>> OpenMembers(const results::Reader& reader,
                                        const Sweep& sweep,
                                        const std::vector<size_t>& members);

}  // namespace zs

#endif  // RUNNER_SWEEP_SPEND_H_
