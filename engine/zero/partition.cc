#include "engine/zero/partition.h"

namespace zs {

std::vector<DecayRange> DecayRanges(const Unit& unit, const Range& range) {
  std::vector<DecayRange> ranges;
  for (const Parameter& p : unit.parameters) {
    const Range part = Intersection({p.offset, p.offset + p.size}, range);
    if (part.size() == 0) {
      continue;
    }
    if (!ranges.empty() && ranges.back().decay == p.decay &&
        ranges.back().range.end == part.begin) {
      ranges.back().range.end = part.end;
    } else {
      ranges.push_back({part, p.decay});
    }
  }
  return ranges;
}

}  // namespace zs
