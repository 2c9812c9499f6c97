#include "runner/observe/text/lines.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace zs {
namespace {

constexpr size_t kHead = LineAssembler::kMaxLineBytes / 4 * 3;
constexpr size_t kTail = LineAssembler::kMaxLineBytes / 4;
constexpr size_t kNone = std::string_view::npos;

// Bytes of the UTF-8 sequence at TEXT[AT], or 0 where there is none.
size_t SequenceLength(std::string_view text, size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  const size_t length = byte < 0x80       ? 1
                        : byte >> 5 == 6  ? 2
                        : byte >> 4 == 14 ? 3
                        : byte >> 3 == 30 ? 4
                                          : 0;
  if (length == 0 || at + length > text.size() || byte == 0xc0 ||
      byte == 0xc1 || byte > 0xf4) {
    return 0;
  }
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[at + i]) & 0xc0) != 0x80) {
      return 0;
    }
  }
  return length;
}

// Where the control sequence that starts with the ESC at AT ends.
size_t SequenceEnd(std::string_view text, size_t at) {
  size_t end = at + 1;
  if (end >= text.size()) {
    return end;
  }
  const char kind = text[end++];
  if (kind == '[') {
    while (end < text.size() && (text[end] < '@' || text[end] > '~')) {
      ++end;
    }
    return std::min(end + 1, text.size());
  }
  if (kind == ']') {
    while (end < text.size() && text[end] != '\a' && text[end] != '\x1b') {
      ++end;
    }
    return std::min(end + 1, text.size());
  }
  return end;
}

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 && c != '\t';
}

}  // namespace

void LineAssembler::Keep(std::string_view bytes) {
  const size_t room = kHead > carry_.size() ? kHead - carry_.size() : 0;
  if (tail_.empty() && carry_.size() + bytes.size() <= kMaxLineBytes) {
    carry_ += bytes;
    return;
  }
  const size_t taken = std::min(room, bytes.size());
  carry_ += bytes.substr(0, taken);
  if (carry_.size() > kHead) {
    tail_ = carry_.substr(kHead) + tail_;
    carry_.resize(kHead);
  }
  tail_ += bytes.substr(taken);
  if (tail_.size() > kTail) {
    skipped_ += static_cast<int64_t>(tail_.size() - kTail);
    tail_.erase(0, tail_.size() - kTail);
  }
}

void LineAssembler::FlushCarry() {
  if (skipped_ > 0) {
    ++cut_lines_;
    carry_ += " ...[" + std::to_string(skipped_) + " bytes]... ";
  }
  carry_ += tail_;
  if (!carry_.empty()) {
    sink_(carry_);
  }
  carry_.clear();
  tail_.clear();
  skipped_ = 0;
}

void LineAssembler::Feed(std::string_view bytes) {
  bytes_ += static_cast<int64_t>(bytes.size());
  if (!carry_.empty()) {
    const size_t end = bytes.find('\n');
    Keep(bytes.substr(0, end == kNone ? kNone : end + 1));
    if (end == kNone) {
      if (carry_.size() >= kHead) {
        if (const size_t cr = carry_.rfind('\r'); cr != kNone) {
          sink_(std::string_view(carry_).substr(0, cr + 1));
          carry_.erase(0, cr + 1);
        }
      }
      return;
    }
    FlushCarry();
    bytes.remove_prefix(end + 1);
  }
  const size_t last = bytes.rfind('\n');
  if (last != kNone) {
    sink_(bytes.substr(0, last + 1));
    bytes.remove_prefix(last + 1);
  }
  Keep(bytes);
}

void LineAssembler::Finish() {
  FlushCarry();
}

size_t FirstControl(std::string_view text, size_t from) {
  size_t at = from;
  // Sixteen bytes at a time as long as none is below 0x20.
  using Bytes [[gnu::vector_size(16)]] = unsigned char;
  using Words [[gnu::vector_size(16)]] = uint64_t;
  for (; at + sizeof(Bytes) <= text.size(); at += sizeof(Bytes)) {
    Bytes bytes;
    std::memcpy(&bytes, text.data() + at, sizeof(bytes));
    const auto below = reinterpret_cast<Words>(bytes < 0x20);
    if ((below[0] | below[1]) != 0) {
      break;
    }
  }
  while (at < text.size() && !IsControl(text[at])) {
    ++at;
  }
  return at;
}

std::string_view WithoutControls(std::string_view text, std::string& buffer) {
  if (FirstControl(text) == text.size()) {
    return text;
  }
  buffer.clear();
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\x1b') {
      at = SequenceEnd(text, at);
      continue;
    }
    if (!IsControl(text[at])) {
      buffer += text[at];
    }
    ++at;
  }
  return buffer;
}

std::string Quotable(std::string_view text, size_t max_bytes) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (out.size() >= max_bytes) {
      return out + "...";
    }
    const size_t length = SequenceLength(text, at);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      ++at;
      continue;
    }
    out += text.substr(at, length);
    at += length;
  }
  return out;
}

}  // namespace zs
