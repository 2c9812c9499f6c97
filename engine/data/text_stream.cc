#include <algorithm>
#include <vector>

#include "engine/data/random_access_file.h"
#include "engine/data/token_stream.h"

namespace zs {
namespace {

class TextStream final : public TokenStream {
 public:
  TextStream(RandomAccessFile file, int64_t vocab)
      : file_(std::move(file)), vocab_(vocab) {}

  int64_t tokens() const override { return file_.size_bytes(); }

  Status Read(int64_t start, std::span<int32_t> out) override {
    bytes_.resize(out.size());
    RETURN_IF_ERROR(
        file_.Read(start, bytes_.data(), static_cast<int64_t>(bytes_.size())));
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = bytes_[i];
      if (out[i] >= vocab_) {
        return DataLossError(
            file_.path() + ": offset " + std::to_string(start + i) + ": byte " +
            std::to_string(out[i]) + " is beyond model.vocab " +
            std::to_string(vocab_) + "; 256 holds every text");
      }
    }
    return OkStatus();
  }

 private:
  RandomAccessFile file_;
  const int64_t vocab_;
  std::vector<unsigned char> bytes_;
};

// Reads all of STREAM, for the faults in it.
Status Search(TokenStream& stream) {
  std::vector<int32_t> block(size_t{1} << 18);
  int64_t at = 0;
  while (at < stream.tokens()) {
    const auto size =
        std::min<int64_t>(std::ssize(block), stream.tokens() - at);
    RETURN_IF_ERROR(
        stream.Read(at, std::span(block).first(static_cast<size_t>(size))));
    at += size;
  }
  return OkStatus();
}

}  // namespace

Result<std::unique_ptr<TokenStream>> OpenText(const std::string& path,
                                              int64_t vocab) {
  ASSIGN_OR_RETURN(RandomAccessFile file, RandomAccessFile::Open(path));
  if (file.size_bytes() == 0) {
    return InvalidArgumentError(path + " is empty");
  }
  auto stream = std::make_unique<TextStream>(std::move(file), vocab);
  if (vocab < 256) {
    RETURN_IF_ERROR(Search(*stream));
  }
  return std::unique_ptr<TokenStream>(std::move(stream));
}

}  // namespace zs
