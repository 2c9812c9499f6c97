// What the page's scripts draw from.
#ifndef RESULTS_HTML_PAGE_DATA_H_
#define RESULTS_HTML_PAGE_DATA_H_

#include "base/json.h"
#include "results/html/evidence.h"
#include "results/report/comparison.h"

namespace zs::results {

// The comparison's JSON (docs/results-schema.md) and, for each experiment:
// "outliers", "model", "series" [[step, ms]...], "losses" [[step, loss]...],
// "parts" {data, forward, backward, optimizer, exposed}, "predicted" {term:
// ms}, "ledger" [{op, bytes, theory, ms}], "bandwidths" [[op, size, busbw]],
// "roof", "gpu" {metric: [{name, points: [[seconds, value]...]}]}.
// Long series are thinned so that spikes stay and the whole stays small.
Json PageData(const Comparison& comparison, const Evidence& evidence);

}  // namespace zs::results

#endif  // RESULTS_HTML_PAGE_DATA_H_
