// The bytes between Store and StoreServer. All integers are little-endian.
//
//   client: "ZSTORE1\n", u32 size of the token, token      server: 'o'
//   client: op, u32 size of key, u32 size of value, key, value
//   server: status, u32 size of value, value
#ifndef ENGINE_COMM_STORE_PROTOCOL_H_
#define ENGINE_COMM_STORE_PROTOCOL_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace zs::store {

inline constexpr std::string_view kMagic = "ZSTORE1\n";
inline constexpr char kSet = 'S';
inline constexpr char kGet = 'G';     // the reply waits until the key is set
inline constexpr char kTryGet = 'T';  // the reply is immediate
inline constexpr char kDone = 'o';
inline constexpr char kOther = 'x';  // set already, to another value
inline constexpr char kUnset = 'n';  // not set now
inline constexpr size_t kMaxToken = 1024;
inline constexpr size_t kMaxKey = 4096;
inline constexpr size_t kMaxValue = size_t{1} << 20;
inline constexpr size_t kMaxTotal = size_t{256} << 20;

inline void AppendU32(std::string& out, size_t value) {
  for (int shift = 0; shift < 32; shift += 8) {
    out.push_back(static_cast<char>(value >> shift & 0xff));
  }
}

// The integer in the first four bytes of TEXT, which has that many.
inline uint32_t ReadU32(std::string_view text) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) {
    value = value << 8 | static_cast<unsigned char>(text[i]);
  }
  return value;
}

}  // namespace zs::store

#endif  // ENGINE_COMM_STORE_PROTOCOL_H_
