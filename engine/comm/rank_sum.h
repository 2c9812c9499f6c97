// Sums over ranks whose bits depend on the order of ranks alone.
#ifndef ENGINE_COMM_RANK_SUM_H_
#define ENGINE_COMM_RANK_SUM_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace zs {

// OUT[i] = ((p0[i] + p1[i]) + p2[i]) + ..., or that added to OUT[i] where ADD.
// PARTS point to N elements of type T each; OUT may be one of them.
template <typename T>
void SumInRankOrder(std::span<const void* const> parts, int64_t n, bool add,
                    T* out) {
  constexpr int64_t kBlock = 1024;  // stays in the first-level cache
  std::array<T, kBlock> sum;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t size = std::min(kBlock, n - begin);
    const T* first = static_cast<const T*>(parts[0]) + begin;
    std::copy_n(first, size, sum.data());
    for (const void* part : parts.subspan(1)) {
      const T* from = static_cast<const T*>(part) + begin;
      for (int64_t i = 0; i < size; ++i) {
        sum[i] += from[i];
      }
    }
    T* to = out + begin;
    for (int64_t i = 0; i < size; ++i) {
      to[i] = add ? to[i] + sum[i] : sum[i];
    }
  }
}

}  // namespace zs

#endif  // ENGINE_COMM_RANK_SUM_H_
