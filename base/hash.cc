#include "base/hash.h"

#include <array>
#include <cerrno>
#include <cstdio>

#include "nettle/sha2.h"

namespace zs {

struct Sha256::State {
  sha256_ctx context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  sha256_init(&state_->context);
}

Sha256::~Sha256() = default;

void Sha256::Update(const void* data, size_t size) {
  sha256_update(&state_->context, size, static_cast<const uint8_t*>(data));
}

std::string Sha256::HexDigest() {
  std::array<uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&state_->context, digest.size(), digest.data());
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * digest.size());
  for (const uint8_t byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string Sha256Hex(std::string_view text) {
  Sha256 hash;
  hash.Update(text);
  return hash.HexDigest();
}

Result<std::string> Sha256HexOfFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rbe"), std::fclose);
  if (file == nullptr) {
    return ErrnoError(errno, path);
  }
  Sha256 hash;
  // Not set to zero first, and no larger than a cache: most files are small.
  constexpr size_t kBlockBytes = size_t{128} << 10;
  const std::unique_ptr<char[]> block(new char[kBlockBytes]);
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  while (const size_t n = std::fread(block.get(), 1, kBlockBytes, file.get())) {
    hash.Update(block.get(), n);
  }
  if (std::ferror(file.get()) != 0) {
    return ErrnoError(errno, path);
  }
  return hash.HexDigest();
}

}  // namespace zs
