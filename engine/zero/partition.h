// Who owns which range of which unit: pure arithmetic.
#ifndef ENGINE_ZERO_PARTITION_H_
#define ENGINE_ZERO_PARTITION_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/api/layout.h"

namespace zs {
inline Range Intersection(const Range& a, const Range& b) {
  const int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

// A unit of SIZE elements, padded with PaddedSize, cut into one shard a rank.
struct UnitPartition {
  int64_t size = 0;    // elements of parameters
  int64_t padded = 0;  // the size of all shards together
  int64_t shard = 0;   // the size of one

  UnitPartition() = default;
  UnitPartition(int64_t unit_size, int world_size)
      : size(unit_size),
        padded(PaddedSize(unit_size, world_size)),
        shard(padded / world_size) {}

  // The shard of RANK, padding included.
  Range Shard(int rank) const { return {rank * shard, (rank + 1) * shard}; }
  // The parameters in the shard of RANK.
  Range Owned(int rank) const { return Intersection(Shard(rank), {0, size}); }
};

// The longest ranges within RANGE that are treated alike: parameters of UNIT
// one after the other that all decay or all do not.
struct DecayRange {
  Range range;
  bool decay = false;
};
std::vector<DecayRange> DecayRanges(const Unit& unit, const Range& range);

}  // namespace zs

#endif  // ENGINE_ZERO_PARTITION_H_
