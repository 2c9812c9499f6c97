// Which experiments deserve further repeats (`until`).
#ifndef RUNNER_SWEEP_SPEND_H_
#define RUNNER_SWEEP_SPEND_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/report/comparison.h"
#include "results/store/reader.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

// Whether the interval of RATIO says too little yet: no word stands, and half
// of it is wider than REL_CI.
bool IsOpen(const results::SpeedRatio& ratio, double rel_ci);

// Those experiments of SWEEP (as indices) that belong to an open pair of sweep
// SWEEP_ID on record, in the pairs that its report compares. `rel_ci` is that
// of the one that is compared, or else of its baseline, whichever has `until`.
Result<std::vector<size_t>> OpenMembers(const results::Reader& reader,
                                        const Sweep& sweep, int64_t sweep_id);

// The same before a sweep begins, by the newest one on record that has all
// experiments of SWEEP that SELECTED holds for: those of open pairs whose keys
// are still KEYS. Empty where there is none.
Result<std::vector<size_t>> OpenOnRecord(const results::Reader& reader,
                                         const Sweep& sweep,
                                         const std::vector<std::string>& keys,
                                         const std::vector<bool>& selected);

}  // namespace zs

#endif  // RUNNER_SWEEP_SPEND_H_
