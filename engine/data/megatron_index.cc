#include "engine/data/megatron_index.h"

#include <cstring>
#include <string>

namespace zs {
namespace {

constexpr std::string_view kMagic("MMIDIDX\0\0", 9);
constexpr int64_t kTypeOffset = 17;
constexpr int64_t kHeaderBytes = 34;

template <typename T>
T ReadAt(std::string_view bytes, int64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Status At(int64_t offset, const std::string& what) {
  return DataLossError("offset " + std::to_string(offset) + ": " + what);
}

// Where the parts of a file lie.
struct Parts {
  int64_t lengths = kHeaderBytes;
  int64_t pointers = 0;
  int64_t documents = 0;
};

Status CheckHeader(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    return InvalidArgumentError(
        "offset 0: not an .idx file of Megatron-LM (it begins with MMIDIDX)");
  }
  if (static_cast<int64_t>(bytes.size()) < kHeaderBytes) {
    return At(static_cast<int64_t>(bytes.size()), "the header ends here");
  }
  const auto version = ReadAt<uint64_t>(bytes, 9);
  if (version != 1) {
    return InvalidArgumentError("offset 9: version " + std::to_string(version) +
                                " is not known; 1 is");
  }
  const auto type = ReadAt<uint8_t>(bytes, kTypeOffset);
  if (type < 1 || type > 8) {
    return At(kTypeOffset,
              "token type " + std::to_string(type) + "; allowed are 1 to 8");
  }
  return OkStatus();
}

// Checks that the counts agree with the file's size.
Result<Parts> Divide(std::string_view bytes) {
  const auto sequences = ReadAt<uint64_t>(bytes, 18);
  const auto documents = ReadAt<uint64_t>(bytes, 26);
  const uint64_t room = bytes.size() - kHeaderBytes;
  if (sequences > room / 12) {
    return At(18, std::to_string(sequences) + " sequences do not fit in " +
                      std::to_string(bytes.size()) + " bytes");
  }
  if (documents > (room - sequences * 12) / 8) {
    return At(26, std::to_string(documents) + " documents do not fit in " +
                      std::to_string(bytes.size()) + " bytes");
  }
  const uint64_t rest = room - sequences * 12 - documents * 8;
  if (rest != 0 && rest != sequences) {
    return At(static_cast<int64_t>(bytes.size() - rest),
              std::to_string(rest) + " bytes follow the end");
  }
  Parts parts;
  parts.pointers = kHeaderBytes + static_cast<int64_t>(sequences) * 4;
  parts.documents = parts.pointers + static_cast<int64_t>(sequences) * 8;
  return parts;
}

// Document starts rise from 0 to the number of sequences.
Status CheckDocuments(std::string_view bytes, const Parts& parts,
                      const MegatronIndex& index) {
  int64_t previous = 0;
  for (int64_t d = 0; d < index.documents; ++d) {
    const int64_t offset = parts.documents + d * 8;
    const auto first = ReadAt<int64_t>(bytes, offset);
    if (first < previous || first > index.sequences) {
      return At(offset, "document " + std::to_string(d) +
                            " begins with sequence " + std::to_string(first));
    }
    previous = first;
  }
  return OkStatus();
}

// Checks sequence S and adds it to INDEX.
Status AddSequence(std::string_view bytes, const Parts& parts, int64_t s,
                   int64_t bin_bytes, MegatronIndex& index) {
  const int64_t length_at = parts.lengths + s * 4;
  const int64_t pointer_at = parts.pointers + s * 8;
  const int64_t length = ReadAt<int32_t>(bytes, length_at);
  const auto pointer = ReadAt<int64_t>(bytes, pointer_at);
  if (length < 0) {
    return At(length_at, "sequence " + std::to_string(s) + " has length " +
                             std::to_string(length));
  }
  const int64_t size = length * TokenBytes(index.type);
  if (pointer < 0 || pointer > bin_bytes || size > bin_bytes - pointer) {
    return At(pointer_at, "sequence " + std::to_string(s) + " of " +
                              std::to_string(size) + " bytes at byte " +
                              std::to_string(pointer) +
                              " ends beyond the .bin file of " +
                              std::to_string(bin_bytes) + " bytes");
  }
  index.starts.push_back(index.tokens);
  index.pointers.push_back(pointer);
  index.tokens += length;
  return OkStatus();
}

// Drops the vectors where the sequences follow each other.
void Simplify(MegatronIndex& index) {
  index.first_byte = index.pointers.empty() ? 0 : index.pointers[0];
  const int64_t bytes = TokenBytes(index.type);
  for (size_t s = 0; s < index.pointers.size(); ++s) {
    if (index.pointers[s] != index.first_byte + index.starts[s] * bytes) {
      return;
    }
  }
  index.starts = {};
  index.pointers = {};
}

}  // namespace

int64_t TokenBytes(TokenType type) {
  switch (type) {
    case TokenType::kUint8:
    case TokenType::kInt8:
      return 1;
    case TokenType::kInt16:
    case TokenType::kUint16:
      return 2;
    case TokenType::kInt32:
    case TokenType::kFloat32:
      return 4;
    case TokenType::kInt64:
    case TokenType::kFloat64:
      return 8;
  }
  return 8;
}

Result<MegatronIndex> ParseMegatronIndex(std::string_view bytes,
                                         int64_t bin_bytes) {
  RETURN_IF_ERROR(CheckHeader(bytes));
  ASSIGN_OR_RETURN(const Parts parts, Divide(bytes));
  MegatronIndex index;
  index.type = static_cast<TokenType>(ReadAt<uint8_t>(bytes, kTypeOffset));
  index.sequences = static_cast<int64_t>(ReadAt<uint64_t>(bytes, 18));
  index.documents = static_cast<int64_t>(ReadAt<uint64_t>(bytes, 26));
  index.starts.reserve(index.sequences);
  index.pointers.reserve(index.sequences);
  for (int64_t s = 0; s < index.sequences; ++s) {
    RETURN_IF_ERROR(AddSequence(bytes, parts, s, bin_bytes, index));
  }
  RETURN_IF_ERROR(CheckDocuments(bytes, parts, index));
  Simplify(index);
  return index;
}

}  // namespace zs
