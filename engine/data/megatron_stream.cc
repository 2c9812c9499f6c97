#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "base/files.h"
#include "engine/data/megatron_index.h"
#include "engine/data/random_access_file.h"
#include "engine/data/token_stream.h"

namespace zs {
namespace {

constexpr int64_t kMaxIndexBytes = int64_t{64} << 30;

template <typename T>
double Value(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

// The token at AT as a number; exact for every token that a vocabulary holds.
double TokenAt(TokenType type, const char* at) {
  switch (type) {
    case TokenType::kUint8:
      return Value<uint8_t>(at);
    case TokenType::kInt8:
      return Value<int8_t>(at);
    case TokenType::kInt16:
      return Value<int16_t>(at);
    case TokenType::kInt32:
      return Value<int32_t>(at);
    case TokenType::kInt64:
      return Value<int64_t>(at);
    case TokenType::kFloat64:
      return Value<double>(at);
    case TokenType::kFloat32:
      return Value<float>(at);
    case TokenType::kUint16:
      return Value<uint16_t>(at);
  }
  return -1;
}

class MegatronStream final : public TokenStream {
 public:
  MegatronStream(RandomAccessFile bin, MegatronIndex index, int64_t vocab)
      : bin_(std::move(bin)), index_(std::move(index)), vocab_(vocab) {}

  int64_t tokens() const override { return index_.tokens; }

  Status Read(int64_t start, std::span<int32_t> out) override {
    while (!out.empty()) {
      const Piece piece = PieceAt(start);
      const auto size =
          static_cast<size_t>(std::min<int64_t>(piece.tokens, std::ssize(out)));
      RETURN_IF_ERROR(ReadPiece(piece.first_byte, out.first(size)));
      out = out.subspan(size);
      start += static_cast<int64_t>(size);
    }
    return OkStatus();
  }

 private:
  // Tokens that lie one after the other in the file.
  struct Piece {
    int64_t first_byte;
    int64_t tokens;
  };

  // What follows token START of the stream without a gap.
  Piece PieceAt(int64_t start) const {
    const int64_t bytes = TokenBytes(index_.type);
    if (index_.starts.empty()) {
      return {index_.first_byte + start * bytes, index_.tokens - start};
    }
    const auto next =
        std::upper_bound(index_.starts.begin(), index_.starts.end(), start);
    const size_t s = next - index_.starts.begin() - 1;
    const int64_t end = next == index_.starts.end() ? index_.tokens : *next;
    return {index_.pointers[s] + (start - index_.starts[s]) * bytes,
            end - start};
  }

  Status ReadPiece(int64_t first_byte, std::span<int32_t> out) {
    const int64_t bytes = TokenBytes(index_.type);
    raw_.resize(out.size() * bytes);
    RETURN_IF_ERROR(
        bin_.Read(first_byte, raw_.data(), static_cast<int64_t>(raw_.size())));
    for (size_t i = 0; i < out.size(); ++i) {
      const double token = TokenAt(index_.type, raw_.data() + i * bytes);
      if (!(token >= 0 && token < static_cast<double>(vocab_)) ||
          token != std::floor(token)) {
        return DataLossError(
            bin_.path() + ": offset " +
            std::to_string(first_byte + static_cast<int64_t>(i) * bytes) +
            ": token " + std::to_string(token) + " is not in [0, model.vocab " +
            std::to_string(vocab_) + ")");
      }
      out[i] = static_cast<int32_t>(token);
    }
    return OkStatus();
  }

  RandomAccessFile bin_;
  const MegatronIndex index_;
  const int64_t vocab_;
  std::vector<char> raw_;
};

}  // namespace

Result<std::unique_ptr<TokenStream>> OpenMegatron(const std::string& prefix,
                                                  int64_t vocab) {
  ASSIGN_OR_RETURN(RandomAccessFile bin,
                   RandomAccessFile::Open(prefix + ".bin"));
  ASSIGN_OR_RETURN(const std::string bytes,
                   ReadFile(prefix + ".idx", kMaxIndexBytes));
  Result<MegatronIndex> index = ParseMegatronIndex(bytes, bin.size_bytes());
  if (!index.ok()) {
    return Status(index.status().code(),
                  prefix + ".idx: " + index.status().message());
  }
  return std::unique_ptr<TokenStream>(std::make_unique<MegatronStream>(
      std::move(bin), std::move(index).value(), vocab));
}

}  // namespace zs
