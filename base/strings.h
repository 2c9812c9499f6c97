// Text from values, for messages.
#ifndef BASE_STRINGS_H_
#define BASE_STRINGS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace zs {

// VALUE with up to six significant digits and no needless zeros: "0.05",
// "12345.7", "nan".
std::string FormatNumber(double value);

// FORMAT with its values as printf would write it, of any length.
std::string StringPrintf(const char* format, ...)
    __attribute__((format(printf, 1, 2)));

// PARTS with SEPARATOR between them.
std::string Join(const std::vector<std::string>& parts,
                 std::string_view separator);

// TEXT cut at each SEPARATOR; an empty text gives no part.
std::vector<std::string> Split(std::string_view text, char separator);

// TEXT without blanks (tabs and ends of lines, too) at its ends; a part of it.
inline std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// TEXT as a terminal may safely show it: control characters (escape sequences
// too) become \xNN; tabs stay.
std::string Printable(std::string_view text);

}  // namespace zs

#endif  // BASE_STRINGS_H_
