// SHA-256, for keys of experiments and checksums of files (FIPS 180-4, by
// nettle).
#ifndef BASE_HASH_H_
#define BASE_HASH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace zs {

// A running SHA-256. Not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Update(const void* data, size_t size);
  void Update(std::string_view text) { Update(text.data(), text.size()); }

  // The digest of all so far as 64 hexadecimal digits; starts anew.
  std::string HexDigest();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The digest of TEXT as 64 hexadecimal digits.
std::string Sha256Hex(std::string_view text);

// The digest of the file at PATH, read in blocks.
Result<std::string> Sha256HexOfFile(const std::string& path);

}  // namespace zs

#endif  // BASE_HASH_H_
