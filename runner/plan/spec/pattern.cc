#include "runner/plan/spec/pattern.h"

#include "re2/re2.h"

namespace zs {

std::string PatternFault(const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(int64_t{1} << 20);
  const re2::RE2 expression(pattern, options);
  if (!expression.ok()) {
    return "no expression of RE2: " + expression.error();
  }
  const int groups = expression.NumberOfCapturingGroups();
  if (groups != 1) {
    return "has " + std::to_string(groups) +
           " groups; allowed: one, around the number; (?:...) groups without "
           "counting";
  }
  return "";
}

}  // namespace zs
