#include "results/report/csv_writer.h"

#include <array>
#include <charconv>
#include <string_view>

namespace zs::results {
namespace {

std::string Quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string out = "\"";
  for (const char c : text) {
    out += c == '"' ? "\"\"" : std::string(1, c);
  }
  return out + "\"";
}

std::string SafeText(std::string_view text) {
  const bool formula =
      !text.empty() &&
      std::string_view("=+-@\t\r\n").find(text[0]) != std::string_view::npos;
  return Quoted((formula ? "'" : "") + std::string(text));
}

std::string Shortest(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), end.ptr);
}

std::string FieldOf(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell.value)) {
    return SafeText(*text);
  }
  if (const auto* number = std::get_if<int64_t>(&cell.value)) {
    return std::to_string(*number);
  }
  if (const auto* number = std::get_if<double>(&cell.value)) {
    return Shortest(*number);
  }
  return "unknown";
}

}  // namespace

std::string WriteCsv(const Table& table) {
  std::string out;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    out += (i == 0 ? "" : ",") + SafeText(table.columns[i].name);
  }
  out += '\n';
  for (const auto& row : table.rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      out += (i == 0 ? "" : ",") + FieldOf(row[i]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace zs::results
