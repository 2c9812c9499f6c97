#include "results/report/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace zs::results {
namespace {

struct Decoded {
  uint32_t code = 0;
  size_t size = 0;  // bytes; 0: not UTF-8
};

// The shortest-form code point at the beginning of TEXT (RFC 3629).
Decoded Decode(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const uint32_t first = byte(0);
  if (first < 0x80) {
    return {first, 1};
  }
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) {
    return {};
  }
  uint32_t code = first & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return {};
    }
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool overlong =
      (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return overlong || surrogate || code > 0x10FFFF ? Decoded{}
                                                  : Decoded{code, size};
}

struct Range {
  uint32_t first;
  uint32_t last;
};

template <size_t kSize>
bool IsIn(const Range (&ranges)[kSize], uint32_t code) {
  for (const Range& range : ranges) {
    if (code >= range.first && code <= range.last) {
      return true;
    }
  }
  return false;
}

// C0, DEL, C1; line separators; marks and overrides of direction.
constexpr Range kUnsafe[] = {{0x00, 0x1F},     {0x7F, 0x9F},
                             {0x200E, 0x200F}, {0x2028, 0x202E},
                             {0x2066, 0x2069}, {0xFEFF, 0xFEFF}};
constexpr Range kCombining[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x20D0, 0x20FF},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
    {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

int WidthOf(uint32_t code) {
  if (IsIn(kCombining, code)) {
    return 0;
  }
  return IsIn(kWide, code) ? 2 : 1;
}

std::string Escaped(const char* format, uint32_t code) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), format, code);
  return text.data();
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Decoded next = Decode(text);
    if (next.size == 0) {
      out += Escaped("\\x%02x", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (IsIn(kUnsafe, next.code)) {
      out += Escaped(next.code < 0x100 ? "\\x%02x" : "\\u%04x", next.code);
    } else {
      out += text.substr(0, next.size);
    }
    text.remove_prefix(next.size);
  }
  return out;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const Decoded next = Decode(text);
    width += next.size == 0 ? 1 : WidthOf(next.code);
    text.remove_prefix(next.size == 0 ? 1 : next.size);
  }
  return width;
}

std::string CutTo(std::string_view text, int width) {
  if (DisplayWidth(text) <= width) {
    return std::string(text);
  }
  std::string out;
  int used = 0;
  while (!text.empty()) {
    const Decoded next = Decode(text);
    const int add = next.size == 0 ? 1 : WidthOf(next.code);
    const size_t size = next.size == 0 ? 1 : next.size;
    if (used + add > width - 1) {
      break;
    }
    out += text.substr(0, size);
    used += add;
    text.remove_prefix(size);
  }
  return width > 0 ? out + "…" : "";
}

std::string Wrapped(std::string_view text, int width) {
  std::string out;
  int used = 0;
  size_t at = 0;
  while (at < text.size()) {
    const size_t blank = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, blank - at);
    const int columns = DisplayWidth(word);
    if (used > 0) {
      const bool fits = used + 1 + columns <= width;
      out += fits ? ' ' : '\n';
      used = fits ? used + 1 : 0;
    }
    out += word;
    used += columns;
    at = blank + 1;
  }
  return out;
}

std::string XmlAttribute(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace zs::results
