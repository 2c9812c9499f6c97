// In which order samples are seen.
#ifndef ENGINE_DATA_SAMPLE_ORDER_H_
#define ENGINE_DATA_SAMPLE_ORDER_H_

#include <cstdint>

namespace zs {

// A well mixed 64-bit hash of X (SplitMix64's finalizer, Steele et al. 2014).
inline uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The place of INDEX in a permutation of [0, size) chosen by KEY, without
// memory: a Feistel network over the next even power of two, walked until it
// falls into the range (Black and Rogaway 2002, "Ciphers with Arbitrary Finite
// Domains"). 0 <= index < size.
int64_t Permute(int64_t index, int64_t size, uint64_t key);

// The window that sample SAMPLE of the whole training (step x global batch +
// index in the batch, from 0) reads, of WINDOWS: each epoch sees every window
// once, in an order that SEED and epoch decide.
int64_t WindowOf(int64_t sample, int64_t windows, uint64_t seed);

}  // namespace zs

#endif  // ENGINE_DATA_SAMPLE_ORDER_H_
