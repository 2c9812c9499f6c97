// What `show` prints.
#ifndef RESULTS_REPORT_RUN_TABLES_H_
#define RESULTS_REPORT_RUN_TABLES_H_

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "results/report/table.h"
#include "results/store/reader.h"

namespace zs::results {

// All about one run, a table for each aspect: states, asked and in effect,
// times, memory, communication, ranks, findings, artifacts. kNotFound.
Result<std::vector<Table>> RunTables(const Reader& reader, int64_t run_id);

}  // namespace zs::results

#endif  // RESULTS_REPORT_RUN_TABLES_H_
