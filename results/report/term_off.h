// Which part of a step is not as it was predicted.
#ifndef RESULTS_REPORT_TERM_OFF_H_
#define RESULTS_REPORT_TERM_OFF_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/status.h"
#include "results/report/comparison.h"
#include "results/store/reader.h"

namespace zs::results {

// The part (kStepParts) whose MEASURED ms are furthest from its PREDICTED ms,
// both by term; empty where the step as a whole, measured as STEP_MS, was
// predicted to 5%, or no part is known on both sides.
std::optional<TermOff> FurthestTerm(
    double step_ms, const std::map<std::string, double>& predicted,
    const std::map<std::string, double>& measured);

// Sets what was predicted of SIDE's step in run RUN_ID, and the part that is
// off in SIDE's window.
Status ReadPrediction(const Reader& reader, int64_t run_id,
                      ComparedExperiment& side);

}  // namespace zs::results

#endif  // RESULTS_REPORT_TERM_OFF_H_
