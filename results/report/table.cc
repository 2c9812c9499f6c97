#include "results/report/table.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace zs::results {
namespace {

std::string Fixed(double value, int decimals) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, decimals);
  return end.ec == std::errc() ? std::string(text.data(), end.ptr) : "unknown";
}

}  // namespace

Cell UnknownCell() {
  return {std::monostate(), "unknown"};
}

Cell TextCell(std::string text) {
  return {text, text};
}

Cell IntCell(std::optional<int64_t> value) {
  return value ? Cell{*value, std::to_string(*value)} : UnknownCell();
}

Cell NumberCell(std::optional<double> value, int decimals) {
  if (!value || !std::isfinite(*value)) {
    return UnknownCell();
  }
  return {*value, Fixed(*value, decimals)};
}

Cell BytesCell(std::optional<int64_t> bytes) {
  if (!bytes) {
    return UnknownCell();
  }
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(*bytes);
  size_t unit = 0;
  while (std::abs(amount) >= 1024 && unit + 1 < std::size(kUnits)) {
    amount /= 1024;
    ++unit;
  }
  const int decimals = unit == 0 ? 0 : std::abs(amount) < 10 ? 2 : 1;
  return {*bytes, Fixed(amount, decimals) + " " + kUnits[unit]};
}

Result<Format> ParseFormat(std::string_view text) {
  static constexpr std::pair<std::string_view, Format> kFormats[] = {
      {"table", Format::kTable},
      {"markdown", Format::kMarkdown},
      {"csv", Format::kCsv},
      {"json", Format::kJson}};
  for (const auto& [name, format] : kFormats) {
    if (name == text) {
      return format;
    }
  }
  return InvalidArgumentError("--format: '" + std::string(text) +
                              "' is not known; allowed: table, markdown, csv, "
                              "json");
}

}  // namespace zs::results
