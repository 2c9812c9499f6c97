// Expressions in experiment files.
#ifndef RUNNER_PLAN_SPEC_PATTERN_H_
#define RUNNER_PLAN_SPEC_PATTERN_H_

#include <string>

namespace zs {

// What is wrong with PATTERN, which must be an expression of RE2 with one
// group; empty where nothing is.
std::string PatternFault(const std::string& pattern);

}  // namespace zs

#endif  // RUNNER_PLAN_SPEC_PATTERN_H_
