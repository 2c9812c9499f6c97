// Texts of any origin within a page, where they can do nothing but be read.
#ifndef RESULTS_HTML_HTML_TEXT_H_
#define RESULTS_HTML_HTML_TEXT_H_

#include <string>
#include <string_view>

#include "base/json.h"

namespace zs::results {

// TEXT for an element or a double-quoted attribute. Control characters are
// shown (Printable).
std::string HtmlText(std::string_view text);

// VALUE for a <script type="application/json">: no "<" that could end it, no
// line separators.
std::string IslandJson(const Json& value);

// The source expression that allows exactly TEXT as an inline script or style:
// 'sha256-...' of the Content Security Policy.
std::string ContentHash(std::string_view text);

}  // namespace zs::results

#endif  // RESULTS_HTML_HTML_TEXT_H_
