// Which experiments a list of names, prefixes and patterns means.
#ifndef RUNNER_PLAN_SELECT_H_
#define RUNNER_PLAN_SELECT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace zs {

// The indices in NAMES that PATTERN means, ascending: the name itself; else,
// with '*' or '?', all names it matches; else the one name that begins with
// it. kInvalidArgument where nothing matches (with the nearest name) or a
// prefix fits several (with up to ten of them).
Result<std::vector<size_t>> MatchNames(std::string_view pattern,
                                       const std::vector<std::string>& names);

// The same for several patterns (--only A,B), each index once, ascending.
Result<std::vector<size_t>> MatchAll(const std::vector<std::string>& patterns,
                                     const std::vector<std::string>& names);

}  // namespace zs

#endif  // RUNNER_PLAN_SELECT_H_
