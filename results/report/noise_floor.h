// What the cluster's noise lets a comparison show (runner calibrate).
#ifndef RESULTS_REPORT_NOISE_FLOOR_H_
#define RESULTS_REPORT_NOISE_FLOOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/report/comparison.h"
#include "results/store/reader.h"

namespace zs::results {

// The hosts of RUN_ID as a noise floor names them: a sorted JSON list.
Result<std::string> HostsOf(const Reader& reader, int64_t run_id);

// The newest noise floor of the hosts and device that E ran on.
Result<std::optional<NoiseFloor>> FloorFor(const Reader& reader,
                                           const ComparedExperiment& e);

// The noise floor of RUNS of one experiment, all valid, at least three: how far
// their medians are apart. kFailedPrecondition says what is missing.
Result<NoiseFloor> MeasureFloor(const Reader& reader,
                                const std::vector<int64_t>& run_ids);

// What FLOOR means: the deviation, and what 1, 3, 5 and 10 runs a side can
// show.
std::string FloorText(const NoiseFloor& floor);

// Why a gate of GATE asks for more than the cluster can show, with the figures;
// empty where it does not or no floor is known.
Result<std::string> WhyBelowFloor(const Reader& reader,
                                  const Comparison& comparison, double gate);

}  // namespace zs::results

#endif  // RESULTS_REPORT_NOISE_FLOOR_H_
