// Random numbers that depend on a key and a counter alone.
#ifndef ENGINE_MODEL_PHILOX_H_
#define ENGINE_MODEL_PHILOX_H_

#include <array>
#include <cstdint>

namespace zs {

// Philox 4x32 with 10 rounds (Salmon et al., "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011): four words from a counter of four and a key of two.
inline std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> counter,
                                      std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * counter[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

}  // namespace zs

#endif  // ENGINE_MODEL_PHILOX_H_
