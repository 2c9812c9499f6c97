#include "base/shell.h"

namespace zs {

std::string ShellQuoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "_-+=/.,:@%^";
  if (!word.empty() &&
      word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char byte : word) {
    quoted += byte == '\'' ? "'\\''" : std::string(1, byte);
  }
  return quoted + "'";
}

std::string ShellLine(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += (line.empty() ? "" : " ") + ShellQuoted(word);
  }
  return line;
}

}  // namespace zs
