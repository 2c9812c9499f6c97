// A table for the eyes.
#ifndef RESULTS_REPORT_TERMINAL_WRITER_H_
#define RESULTS_REPORT_TERMINAL_WRITER_H_

#include <string>

#include "results/report/table.h"

namespace zs::results {

// How a terminal wants it.
struct TerminalStyle {
  int width = 120;  // columns; texts are cut to fit, numbers and names never
  bool color = false;
};

// Aligned columns under a header; notes below. Texts of any origin are safe
// (Printable).
std::string WriteTerminal(const Table& table, const TerminalStyle& style);

}  // namespace zs::results

#endif  // RESULTS_REPORT_TERMINAL_WRITER_H_
