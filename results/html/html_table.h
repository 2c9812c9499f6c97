// Tables as HTML.
#ifndef RESULTS_HTML_HTML_TABLE_H_
#define RESULTS_HTML_HTML_TABLE_H_

#include <cstddef>
#include <functional>
#include <string>

#include "results/report/table.h"

namespace zs::results {

// How a table stands in the page.
struct TableLook {
  std::string caption;    // for screen readers
  bool sortable = false;  // each header becomes a button (report.js)
  // More attributes of the <td> in ROW and COLUMN, each with a space before
  // it; trusted HTML.
  std::function<std::string(size_t row, size_t column)> attributes = nullptr;
};

// TABLE in a box that scrolls sideways where it must. The first column holds
// the rows' headers. Well-known words are coloured by class; unknown values
// have the class `unknown`; numbers carry themselves in data-value.
std::string TableHtml(const Table& table, const TableLook& look);

}  // namespace zs::results

#endif  // RESULTS_HTML_HTML_TABLE_H_
