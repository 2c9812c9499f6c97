// A part of the page with its heading.
#ifndef RESULTS_HTML_SECTION_H_
#define RESULTS_HTML_SECTION_H_

#include <string>

#include "results/html/html_text.h"

namespace zs::results {

// BODY (trusted HTML) under TITLE; nothing where BODY is empty.
inline std::string Section(const std::string& id, const std::string& title,
                           const std::string& body) {
  return body.empty() ? ""
                      : "<section id=\"" + id + "\"><h2>" + HtmlText(title) +
                            "</h2>\n" + body + "</section>\n";
}

}  // namespace zs::results

#endif  // RESULTS_HTML_SECTION_H_
