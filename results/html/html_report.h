// A comparison as one page that needs nothing else.
#ifndef RESULTS_HTML_HTML_REPORT_H_
#define RESULTS_HTML_HTML_REPORT_H_

#include <string>

#include "results/html/evidence.h"
#include "results/report/comparison.h"

namespace zs::results {

struct PageOptions {
  std::string title = "zerosweep comparison";
  // Above 0 the page looks each so many seconds whether there is a newer one
  // at its own address and takes it (`runner serve`).
  int refresh_s = 0;
  // The command that makes this page; empty: nobody knows.
  std::string again;
};

// A self-contained HTML document: the verdict, the tables (readable without
// scripts), the charts, what differs and was observed, and how to make it
// again. It opens offline; its Content Security Policy lets nothing in or out
// but its own scripts and, with `refresh_s`, its own address. The same
// comparison and evidence give the same bytes.
std::string WriteHtml(const Comparison& comparison, const Evidence& evidence,
                      const PageOptions& options = {});

}  // namespace zs::results

#endif  // RESULTS_HTML_HTML_REPORT_H_
