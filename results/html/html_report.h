// A comparison as one page that needs nothing else.
#ifndef RESULTS_HTML_HTML_REPORT_H_
#define RESULTS_HTML_HTML_REPORT_H_

#include <string>

#include "results/report/comparison.h"

namespace zs::results {

// A self-contained HTML document: the verdict, the tables (readable without
// scripts), the charts, what differs and was observed, and how to make it
// again. It opens offline; its Content Security Policy lets nothing in or out
// but its own scripts. The same comparison gives the same bytes.
std::string WriteHtml(const Comparison& comparison);

}  // namespace zs::results

#endif  // RESULTS_HTML_HTML_REPORT_H_
