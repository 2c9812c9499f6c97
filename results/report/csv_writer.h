// A table for spreadsheets and data frames.
#ifndef RESULTS_REPORT_CSV_WRITER_H_
#define RESULTS_REPORT_CSV_WRITER_H_

#include <string>

#include "results/report/table.h"

namespace zs::results {

// RFC 4180 with line feeds: machine names as the header, numbers in full
// precision, unknown as "unknown". A text that a spreadsheet would take for a
// formula begins with an apostrophe. Title and notes are left out.
std::string WriteCsv(const Table& table);

}  // namespace zs::results

#endif  // RESULTS_REPORT_CSV_WRITER_H_
