// A table for pages and pull requests.
#ifndef RESULTS_REPORT_MARKDOWN_WRITER_H_
#define RESULTS_REPORT_MARKDOWN_WRITER_H_

#include <string>
#include <string_view>

#include "results/report/table.h"

namespace zs::results {

// A GitHub-flavoured table; texts of any origin stay texts.
std::string WriteMarkdown(const Table& table);

// TEXT so that Markdown and HTML see nothing but text in it.
std::string MarkdownText(std::string_view text);

}  // namespace zs::results

#endif  // RESULTS_REPORT_MARKDOWN_WRITER_H_
