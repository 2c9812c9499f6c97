// "35-44": steps by their first and last.
#ifndef BASE_STEP_RANGE_H_
#define BASE_STEP_RANGE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace zs {

struct StepRange {
  int64_t first = 1;  // from 1
  int64_t last = 1;   // belongs to it; not before the first
};

// Nothing where TEXT is anything else than FIRST-LAST.
std::optional<StepRange> ParseStepRange(std::string_view text);

}  // namespace zs

#endif  // BASE_STEP_RANGE_H_
