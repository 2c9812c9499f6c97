// What `list` prints.
#ifndef RESULTS_REPORT_LISTS_H_
#define RESULTS_REPORT_LISTS_H_

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "results/report/table.h"
#include "results/store/reader.h"

namespace zs::results {

// A row for each run, in the order given.
Table RunsTable(const std::vector<RunRow>& runs);

// A row for each experiment of a sweep: what became of it and why.
Result<Table> SweepTable(const Reader& reader, int64_t sweep_id);

}  // namespace zs::results

#endif  // RESULTS_REPORT_LISTS_H_
