// Which experiments deserve further repeats.
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

// Those of MEMBERS (indices into SWEEP, the first is the baseline) that belong
// to a pair which is open; empty where all are settled or cannot be compared.
Result<std::vector<size_t>> OpenMembers(const results::Reader& reader,
                                        const Sweep& sweep,
                                        const std::vector<size_t>& members);

// What the step times of a sentinel's runs, in order, say about the machine;
// empty where the last run is like the first (their interval holds 1, or they
// differ by 1% at most).
std::string DriftText(const std::string& name,
                      const std::vector<std::vector<double>>& runs);

// The finding that says TEXT.
results::FindingRow DriftFinding(const std::string& text, int64_t at_unix_ms);

}  // namespace zs

#endif  // RUNNER_SWEEP_SPEND_H_
