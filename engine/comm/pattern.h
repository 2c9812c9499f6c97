// Data whose sums are known exactly, to check collective operations with.
#ifndef ENGINE_COMM_PATTERN_H_
#define ENGINE_COMM_PATTERN_H_

#include <array>
#include <cstdint>

#include "base/status.h"

namespace zs {

// Values repeat after a prime number of elements, so that slices of a buffer
// that change places are seen: no usual size is a multiple of it.
inline constexpr int64_t kPatternPeriod = 1021;
using PatternTable = std::array<float, kPatternPeriod>;

// What RANK's element i holds, [i mod period]: whole numbers of [0, 61), whose
// sums over up to 2^18 ranks are exact in fp32, in any order.
PatternTable PatternOf(int rank);
// The sum of the patterns of ranks [0, RANKS).
PatternTable PatternSum(int ranks);

// Writes and compares patterns in memory of one device. Not thread-safe.
class PatternMemory {
 public:
  virtual ~PatternMemory() = default;

  // data[i] = table[(first + i) mod period] for COUNT elements.
  virtual Status Fill(float* data, int64_t count, int64_t first,
                      const PatternTable& table) = 0;
  // How many of the COUNT elements differ from that. Waits.
  virtual Result<int64_t> CountWrong(const float* data, int64_t count,
                                     int64_t first,
                                     const PatternTable& table) = 0;
};

// In the host's memory; stateless.
PatternMemory& HostPattern();

}  // namespace zs

#endif  // ENGINE_COMM_PATTERN_H_
