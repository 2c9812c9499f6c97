// One table, many writers: what is to be said stands in a Table, and how it
// looks in the writers (terminal_writer.h, ..., table_writer.h for all of
// them).
#ifndef RESULTS_REPORT_TABLE_H_
#define RESULTS_REPORT_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace zs::results {

// A value for machines and the text that people read. An unknown value has no
// number and reads "unknown"; a number that is not finite is unknown.
struct Cell {
  std::variant<std::monostate, std::string, int64_t, double> value;
  std::string text;
};

Cell UnknownCell();
Cell TextCell(std::string text);
Cell IntCell(std::optional<int64_t> value);
// With DECIMALS digits after the point.
Cell NumberCell(std::optional<double> value, int decimals);
// The text in B, KiB, MiB, GiB or TiB; the value stays in bytes.
Cell BytesCell(std::optional<int64_t> bytes);

struct Column {
  std::string name;    // for machines: "step_ms"
  std::string header;  // for people: "step ms"
  bool right = false;  // numbers stand at the right
  bool whole = false;  // a text that is never cut: a name, a time
  // Above 0: left out where a terminal is too narrow for all columns, the
  // highest first. What a text is cut to before that is `least`.
  int drop = 0;
  int least = 8;
};

struct Table {
  std::string title;  // empty: none
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as wide as columns
  std::vector<std::string> notes;       // lines below the table
  // Where a terminal is too narrow: several tables, each with the first column.
  bool foldable = false;
};

enum class Format { kTable, kMarkdown, kCsv, kJson };

// kInvalidArgument names what is allowed.
Result<Format> ParseFormat(std::string_view text);

}  // namespace zs::results

#endif  // RESULTS_REPORT_TABLE_H_
