// Text of any origin, safe and measured for a terminal.
#ifndef RESULTS_REPORT_TEXT_H_
#define RESULTS_REPORT_TEXT_H_

#include <string>
#include <string_view>

namespace zs::results {

// TEXT as one line that does nothing but be read: control characters and what
// turns the direction of writing are shown as \x1b or \u202e, bytes that are
// not UTF-8 as \xff.
std::string Printable(std::string_view text);

// How many columns a Printable TEXT takes: 0 for combining marks, 2 for wide
// East Asian characters and most emoji (Unicode's East Asian Width).
int DisplayWidth(std::string_view text);

// A Printable TEXT in at most WIDTH columns; what was cut ends in "…".
std::string CutTo(std::string_view text, int width);

// A Printable TEXT in lines of at most WIDTH columns, broken at blanks; a
// longer word stands alone.
std::string Wrapped(std::string_view text, int width);

// TEXT within an attribute of XML; control characters, which XML 1.0 forbids,
// are shown by Printable.
std::string XmlAttribute(std::string_view text);

}  // namespace zs::results

#endif  // RESULTS_REPORT_TEXT_H_
