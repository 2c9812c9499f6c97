#include "results/report/terminal_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "results/report/text.h"

namespace zs::results {
namespace {

constexpr int kGap = 2;        // between columns
constexpr int kNarrowest = 8;  // columns that a text keeps at least

// Words that tell good from bad, and their SGR colours.
constexpr std::pair<std::string_view, const char*> kColors[] = {
    {"FASTER", "32"},    {"SLOWER", "31"},       {"UNDECIDED", "33"},
    {"pass", "32"},      {"fail", "31"},         {"undecided", "33"},
    {"valid", "32"},     {"incomplete", "33"},   {"no_data", "31"},
    {"error", "31"},     {"invalid_loss", "31"}, {"warning", "33"},
    {"DIFFERENT", "31"}, {"equal", "32"},        {"unknown", "2"}};

using Grid = std::vector<std::vector<std::string>>;

// The header and all rows as safe texts.
Grid GridOf(const Table& table) {
  Grid grid(1);
  for (const Column& column : table.columns) {
    grid[0].push_back(Printable(column.header));
  }
  for (const auto& row : table.rows) {
    auto& texts = grid.emplace_back();
    for (const Cell& cell : row) {
      texts.push_back(Printable(cell.text));
    }
  }
  return grid;
}

std::vector<int> WidthsOf(const Table& table, const Grid& grid, int total) {
  std::vector<int> widths(table.columns.size(), 0);
  for (const auto& row : grid) {
    for (size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
    }
  }
  int used = -kGap;
  for (const int width : widths) {
    used += width + kGap;
  }
  // The widest texts give way first.
  while (used > total) {
    size_t widest = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      const bool fixed = table.columns[i].right || table.columns[i].whole;
      if (!fixed && widths[i] > kNarrowest &&
          (widest == widths.size() || widths[i] > widths[widest])) {
        widest = i;
      }
    }
    if (widest == widths.size()) {
      break;
    }
    --widths[widest];
    --used;
  }
  return widths;
}

std::string Colored(const std::string& text) {
  for (const auto& [word, color] : kColors) {
    if (text == word) {
      return std::string("\x1b[") + color + "m" + text + "\x1b[0m";
    }
  }
  return text;
}

std::string LineOf(const Table& table, const std::vector<std::string>& row,
                   const std::vector<int>& widths, bool color) {
  std::string line;
  for (size_t i = 0; i < row.size() && i < widths.size(); ++i) {
    const std::string text =
        table.columns[i].right ? row[i] : CutTo(row[i], widths[i]);
    const int padding = std::max(0, widths[i] - DisplayWidth(text));
    const std::string spaces(static_cast<size_t>(padding), ' ');
    const std::string shown = color ? Colored(text) : text;
    line += table.columns[i].right ? spaces + shown : shown + spaces;
    line += i + 1 < row.size() ? std::string(kGap, ' ') : "";
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string RuleOf(const std::vector<int>& widths) {
  std::string rule;
  for (size_t i = 0; i < widths.size(); ++i) {
    for (int k = 0; k < widths[i]; ++k) {
      rule += "─";
    }
    rule += i + 1 < widths.size() ? std::string(kGap, ' ') : "";
  }
  return rule + "\n";
}

}  // namespace

std::string WriteTerminal(const Table& table, const TerminalStyle& style) {
  const Grid grid = GridOf(table);
  const std::vector<int> widths = WidthsOf(table, grid, style.width);
  std::string out;
  if (!table.title.empty()) {
    out += Printable(table.title) + "\n";
  }
  const bool has_header =
      std::any_of(grid[0].begin(), grid[0].end(),
                  [](const std::string& text) { return !text.empty(); });
  out += has_header ? LineOf(table, grid[0], widths, false) : "";
  out += RuleOf(widths);
  for (size_t i = 1; i < grid.size(); ++i) {
    out += LineOf(table, grid[i], widths, style.color);
  }
  for (const std::string& note : table.notes) {
    out += Printable(note) + "\n";
  }
  return out;
}

}  // namespace zs::results
