#include "engine/data/sample_order.h"

namespace zs {
namespace {

// One pass of the network over 2 x HALF bits.
uint64_t Encipher(uint64_t x, int half, uint64_t key) {
  constexpr int kRounds = 6;
  const uint64_t mask = (uint64_t{1} << half) - 1;
  uint64_t left = x >> half;
  uint64_t right = x & mask;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t next = left ^ (Mix(Mix(key + round) ^ right) & mask);
    left = right;
    right = next;
  }
  return left << half | right;
}

}  // namespace

int64_t Permute(int64_t index, int64_t size, uint64_t key) {
  int half = 1;
  while (half < 31 && (int64_t{1} << (2 * half)) < size) {
    ++half;
  }
  // Each pass permutes the larger domain, so that the walk comes back.
  uint64_t x = static_cast<uint64_t>(index);
  do {
    x = Encipher(x, half, key);
  } while (x >= static_cast<uint64_t>(size));
  return static_cast<int64_t>(x);
}

int64_t WindowOf(int64_t sample, int64_t windows, uint64_t seed) {
  const int64_t epoch = sample / windows;
  return Permute(sample % windows, windows,
                 Mix(seed) ^ Mix(~static_cast<uint64_t>(epoch)));
}

}  // namespace zs
