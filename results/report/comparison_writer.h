// How a comparison reads.
#ifndef RESULTS_REPORT_COMPARISON_WRITER_H_
#define RESULTS_REPORT_COMPARISON_WRITER_H_

#include <string>

#include "results/report/comparison.h"
#include "results/report/table.h"
#include "results/report/terminal_writer.h"

namespace zs::results {

// A column for each experiment, a row for each metric: for people.
Table MetricTable(const Comparison& comparison);

// A row for each experiment: for spreadsheets.
Table ExperimentTable(const Comparison& comparison);

// The same with what matters most, for people.
Table BriefTable(const Comparison& comparison);

// The whole report in FORMAT, with notes and, last, the verdict.
std::string WriteComparison(const Comparison& comparison, Format format,
                            const TerminalStyle& style);

}  // namespace zs::results

#endif  // RESULTS_REPORT_COMPARISON_WRITER_H_
