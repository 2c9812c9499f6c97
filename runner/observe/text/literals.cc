#include "runner/observe/text/literals.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace zs {
namespace {

constexpr size_t kBlock = 3;  // bytes that choose the slot

}  // namespace

// The slot of the three bytes before END.
uint32_t LiteralMatcher::Slot(const char* end) {
  uint32_t bytes;
  std::memcpy(&bytes, end - 4, sizeof(bytes));
  if constexpr (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
    bytes >>= 8;
  } else {
    bytes &= 0xffffff;
  }
  return (bytes * 2654435761u) >> (32 - kBits);
}

LiteralMatcher::LiteralMatcher(std::vector<std::string> literals)
    : literals_(std::move(literals)),
      shift_(size_t{1} << kBits, kMinLength - kBlock + 1),
      at_(size_t{1} << kBits) {
  for (size_t i = 0; i < literals_.size(); ++i) {
    const std::string& literal = literals_[i];
    assert(literal.size() >= kMinLength);
    const std::string padded = '\0' + literal;  // Slot() looks one byte back
    for (size_t end = kBlock; end <= kMinLength; ++end) {
      uint8_t& shift = shift_[Slot(padded.data() + 1 + end)];
      shift = std::min<uint8_t>(shift, kMinLength - end);
    }
    at_[Slot(padded.data() + 1 + kMinLength)].push_back(static_cast<int>(i));
  }
}

int LiteralMatcher::FirstIn(std::string_view text, size_t position,
                            int after) const {
  const char* window = text.data() + position;
  for (const int index : at_[Slot(window + kMinLength)]) {
    const std::string& literal = literals_[index];
    if (index > after && text.size() - position >= literal.size() &&
        std::memcmp(window, literal.data(), literal.size()) == 0) {
      return index;
    }
  }
  return -1;
}

LiteralMatcher::Hit LiteralMatcher::Next(std::string_view text,
                                         size_t from) const {
  if (text.size() < kMinLength) {
    return {};
  }
  const size_t last = text.size() - kMinLength;
  for (size_t at = from; at <= last;) {
    const uint8_t shift = shift_[Slot(text.data() + at + kMinLength)];
    if (shift != 0) {
      at += shift;
      continue;
    }
    if (const int index = FirstIn(text, at, -1); index >= 0) {
      return {at, index};
    }
    ++at;
  }
  return {};
}

int LiteralMatcher::Also(std::string_view text, const Hit& hit) const {
  return FirstIn(text, hit.position, hit.literal);
}

}  // namespace zs
