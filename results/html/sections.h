// The parts of the page that are text and tables. Each returns trusted HTML,
// and nothing where there is nothing to show.
#ifndef RESULTS_HTML_SECTIONS_H_
#define RESULTS_HTML_SECTIONS_H_

#include <string>

#include "results/html/evidence.h"
#include "results/report/comparison.h"

namespace zs::results {

// A row for each experiment, sortable; the intervals are drawn by report.js
// into the cells that carry data-lo and data-hi.
std::string SummarySection(const Comparison& comparison,
                           const Evidence& evidence);
// Every metric, a column for each of at most 6 experiments.
std::string MetricsSection(const Comparison& comparison);
// Calls, bytes beside theory, time and bandwidth of each operation of a step.
std::string LedgerSection(const Comparison& comparison,
                          const Evidence& evidence);
// Predicted beside measured, and the term that is off.
std::string PredictionSection(const Comparison& comparison,
                              const Evidence& evidence);
// NCCL's health and the findings with their evidence.
std::string HealthSection(const Comparison& comparison,
                          const Evidence& evidence);
std::string ChecksSection(const Evidence& evidence);
// What differs from the baseline and what was observed.
std::string DifferencesSection(const Comparison& comparison);
// Hosts, versions and environment of each distinct environment.
std::string EnvironmentSection(const Comparison& comparison,
                               const Evidence& evidence);
// The commands that ran the sweeps and AGAIN, which makes this page.
std::string AgainSection(const Evidence& evidence, const std::string& again);

}  // namespace zs::results

#endif  // RESULTS_HTML_SECTIONS_H_
