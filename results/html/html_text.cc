#include "results/html/html_text.h"

#include <cstdint>

#include "base/hash.h"
#include "results/report/text.h"

namespace zs::results {
namespace {

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

uint32_t DigitOf(char hex) {
  return static_cast<uint32_t>(hex <= '9' ? hex - '0' : hex - 'a' + 10);
}

// Hexadecimal digits of whole bytes as base64 (RFC 4648).
std::string Base64OfHex(const std::string& hex) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : hex) {
    bits = bits << 4 | DigitOf(c);
    count += 4;
    if (count >= 6) {
      count -= 6;
      out += kDigits[bits >> count & 63];
    }
  }
  if (count > 0) {
    out += kDigits[bits << (6 - count) & 63];
  }
  while (out.size() % 4 != 0) {
    out += '=';
  }
  return out;
}

}  // namespace

std::string HtmlText(std::string_view text) {
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
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string IslandJson(const Json& value) {
  std::string text = DumpJson(value);
  ReplaceAll(text, "<", "\\u003c");
  ReplaceAll(text, "\xe2\x80\xa8", "\\u2028");
  ReplaceAll(text, "\xe2\x80\xa9", "\\u2029");
  return text;
}

std::string ContentHash(std::string_view text) {
  return "'sha256-" + Base64OfHex(Sha256Hex(text)) + "'";
}

}  // namespace zs::results
