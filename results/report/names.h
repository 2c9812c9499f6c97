// What a person means by "z1".
#ifndef RESULTS_REPORT_NAMES_H_
#define RESULTS_REPORT_NAMES_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace zs::results {

// The experiments that one pattern stands for.
struct Selection {
  std::string pattern;
  std::vector<std::string> names;     // in the order of the candidates
  std::vector<std::string> suffixes;  // what follows the pattern in each name
};

// The exact name, if there is one. Else, for a pattern with * ? [, all names
// that it matches (suffixes are empty). Else all names of which it is the
// beginning up to a separator (_ - . /). Else the only name of which it is the
// beginning. kNotFound and kInvalidArgument (ambiguous) list the candidates.
Result<Selection> SelectNames(const std::string& pattern,
                              const std::vector<std::string>& candidates);

}  // namespace zs::results

#endif  // RESULTS_REPORT_NAMES_H_
