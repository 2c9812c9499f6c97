#include "engine/comm/pattern.h"

namespace zs {
namespace {

class HostPatternMemory final : public PatternMemory {
 public:
  Status Fill(float* data, int64_t count, int64_t first,
              const PatternTable& table) override {
    for (int64_t i = 0; i < count; ++i) {
      data[i] = table[(first + i) % kPatternPeriod];
    }
    return OkStatus();
  }

  Result<int64_t> CountWrong(const float* data, int64_t count, int64_t first,
                             const PatternTable& table) override {
    int64_t wrong = 0;
    for (int64_t i = 0; i < count; ++i) {
      wrong += data[i] == table[(first + i) % kPatternPeriod] ? 0 : 1;
    }
    return wrong;
  }
};

}  // namespace

PatternTable PatternOf(int rank) {
  PatternTable table = {};
  for (int64_t i = 0; i < kPatternPeriod; ++i) {
    table[i] = static_cast<float>((i * i + 7 * i + int64_t{13} * rank) % 61);
  }
  return table;
}

PatternTable PatternSum(int ranks) {
  PatternTable sum = {};
  for (int rank = 0; rank < ranks; ++rank) {
    const PatternTable one = PatternOf(rank);
    for (int64_t i = 0; i < kPatternPeriod; ++i) {
      sum[i] += one[i];
    }
  }
  return sum;
}

PatternMemory& HostPattern() {
  static HostPatternMemory memory;
  return memory;
}

}  // namespace zs
