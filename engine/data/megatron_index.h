// Megatron-LM's .idx file, which says where the sequences of a .bin file lie.
#ifndef ENGINE_DATA_MEGATRON_INDEX_H_
#define ENGINE_DATA_MEGATRON_INDEX_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace zs {

// The type of the tokens, by the codes of the format.
enum class TokenType : uint8_t {
  kUint8 = 1,
  kInt8 = 2,
  kInt16 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kFloat64 = 6,
  kFloat32 = 7,
  kUint16 = 8,
};
int64_t TokenBytes(TokenType type);

// Little-endian, version 1:
//
//   9 bytes "MMIDIDX\0\0"   u64 version   u8 token type   u64 S   u64 D
//   S x i32 length of a sequence in tokens
//   S x i64 its first byte in the .bin file
//   D x i64 the first sequence of a document, and S at the end
//   S x i8  mode (data sets of several modes alone)
struct MegatronIndex {
  TokenType type = TokenType::kInt32;
  int64_t sequences = 0;
  int64_t documents = 0;  // D
  int64_t tokens = 0;     // of all sequences

  // Where the sequences follow each other without a gap, as all writers leave
  // them, the first byte is all there is to know, and the vectors are empty.
  int64_t first_byte = 0;
  std::vector<int64_t> starts;    // token of the stream with which one begins
  std::vector<int64_t> pointers;  // its first byte
};

// Reads the BYTES of an .idx file, any bytes, for a .bin file of BIN_BYTES.
// kInvalidArgument for another format or version, kDataLoss for damage; the
// message begins with "offset N: ".
Result<MegatronIndex> ParseMegatronIndex(std::string_view bytes,
                                         int64_t bin_bytes);

}  // namespace zs

#endif  // ENGINE_DATA_MEGATRON_INDEX_H_
