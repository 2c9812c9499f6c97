// Cells that say how a run stands.
#ifndef RESULTS_REPORT_RUN_CELLS_H_
#define RESULTS_REPORT_RUN_CELLS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "results/report/table.h"
#include "results/store/record.h"

namespace zs::results {

// "2023-11-14 22:13:20" in UTC; the value is the number.
Cell TimeCell(int64_t unix_ms);
// The same without the seconds.
Cell MinuteCell(int64_t unix_ms);
Cell SecondsCell(std::optional<int64_t> ended_ms, int64_t started_ms);

// The states; "running" and unknown before the end.
Cell ProcessCell(const RunRow& run);
Cell MeasurementCell(const RunRow& run);
Cell VerdictCell(const RunRow& run);

// The first reason that says something: the verdict's, the measurement's, the
// process's.
std::string ReasonOf(const RunOutcome& outcome);

}  // namespace zs::results

#endif  // RESULTS_REPORT_RUN_CELLS_H_
