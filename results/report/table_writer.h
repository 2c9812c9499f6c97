// Tables in whatever format is asked for.
#ifndef RESULTS_REPORT_TABLE_WRITER_H_
#define RESULTS_REPORT_TABLE_WRITER_H_

#include <string>
#include <vector>

#include "results/report/table.h"
#include "results/report/terminal_writer.h"

namespace zs::results {

// The tables one under the other. JSON: an array of objects for one table, an
// object of arrays by title for several.
std::string WriteTables(const std::vector<Table>& tables, Format format,
                        const TerminalStyle& style);

}  // namespace zs::results

#endif  // RESULTS_REPORT_TABLE_WRITER_H_
