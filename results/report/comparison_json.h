// A comparison for machines.
#ifndef RESULTS_REPORT_COMPARISON_JSON_H_
#define RESULTS_REPORT_COMPARISON_JSON_H_

#include "base/json.h"
#include "results/report/comparison.h"

namespace zs::results {

// The contract of docs/results-schema.md; unknown numbers are null.
Json ToJson(const Comparison& comparison);

}  // namespace zs::results

#endif  // RESULTS_REPORT_COMPARISON_JSON_H_
