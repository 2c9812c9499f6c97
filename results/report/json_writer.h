// A table for programs.
#ifndef RESULTS_REPORT_JSON_WRITER_H_
#define RESULTS_REPORT_JSON_WRITER_H_

#include "base/json.h"
#include "results/report/table.h"

namespace zs::results {

// An array with an object for each row: machine names, values in full
// precision, unknown as null.
Json TableJson(const Table& table);

}  // namespace zs::results

#endif  // RESULTS_REPORT_JSON_WRITER_H_
