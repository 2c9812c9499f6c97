// Words for a POSIX shell.
#ifndef BASE_SHELL_H_
#define BASE_SHELL_H_

#include <string>
#include <string_view>
#include <vector>

namespace zs {

// WORD so that a shell reads it back as it is.
std::string ShellQuoted(std::string_view word);

// WORDS, each quoted so, as one line.
std::string ShellLine(const std::vector<std::string>& words);

}  // namespace zs

#endif  // BASE_SHELL_H_
