// What `list` and `show` print.
#ifndef RESULTS_REPORT_LISTS_H_
#define RESULTS_REPORT_LISTS_H_

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "results/report/table.h"
#include "results/store/reader.h"

namespace zs::results {

// A row for each run, in the order given.
Result<Table> RunsTable(const Reader& reader, const std::vector<RunRow>& runs);

// A row for each experiment of a sweep: what became of it and why.
Result<Table> SweepTable(const Reader& reader, int64_t sweep_id);

// All about one run, a table for each aspect: states, asked and in effect,
// times, memory, communication, ranks, findings, artifacts. kNotFound.
Result<std::vector<Table>> RunTables(const Reader& reader, int64_t run_id);

}  // namespace zs::results

#endif  // RESULTS_REPORT_LISTS_H_
