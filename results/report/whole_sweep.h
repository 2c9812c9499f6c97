// A whole sweep as one comparison.
#ifndef RESULTS_REPORT_WHOLE_SWEEP_H_
#define RESULTS_REPORT_WHOLE_SWEEP_H_

#include <cstdint>

#include "base/status.h"
#include "results/report/compare.h"
#include "results/report/comparison.h"
#include "results/store/reader.h"

namespace zs::results {

// All experiments of sweep SWEEP_ID that a model was trained in or that a
// benchmark was run in, in groups of the same model, backend and number of
// ranks: each group against its first experiment of the lowest ZeRO stage.
// Holm's correction is over all of them. OPTIONS.baseline is not used.
// `measured` where any group has a valid measurement, also where it is one
// experiment and nothing is compared. kNotFound where the sweep has no
// experiments.
Result<Comparison> CompareSweep(const Reader& reader, int64_t sweep_id,
                                const CompareOptions& options);

}  // namespace zs::results

#endif  // RESULTS_REPORT_WHOLE_SWEEP_H_
