#include "results/report/terminal_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "results/report/text.h"

namespace zs::results {
namespace {

constexpr int kGap = 2;  // between columns

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

int TotalOf(const std::vector<int>& widths) {
  int total = -kGap;
  for (const int width : widths) {
    total += width + kGap;
  }
  return total;
}

// What each column takes.
std::vector<int> FullWidths(const Table& table, const Grid& grid) {
  std::vector<int> widths(table.columns.size(), 0);
  for (const auto& row : grid) {
    for (size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
    }
  }
  return widths;
}

bool IsFixed(const Column& column) {
  return column.right || column.whole;
}

std::vector<int> WidthsOf(const Table& table, const Grid& grid, int total) {
  std::vector<int> widths = FullWidths(table, grid);
  int used = TotalOf(widths);
  // The widest texts give way first.
  while (used > total) {
    size_t widest = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      if (!IsFixed(table.columns[i]) && widths[i] > table.columns[i].least &&
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

// The columns at INDEXES of TABLE.
Table ColumnsOf(const Table& table, const std::vector<size_t>& indexes) {
  Table part;
  part.title = table.title;
  part.notes = table.notes;
  part.foldable = table.foldable;
  for (const size_t i : indexes) {
    part.columns.push_back(table.columns[i]);
  }
  for (const auto& row : table.rows) {
    auto& cells = part.rows.emplace_back();
    for (const size_t i : indexes) {
      if (i < row.size()) {
        cells.push_back(row[i]);
      }
    }
  }
  return part;
}

// TABLE without the columns that do without and do not fit; a note names them.
Table Narrowed(Table table, int total) {
  std::string dropped;
  while (true) {
    const std::vector<int> full = FullWidths(table, GridOf(table));
    std::vector<int> least = full;
    size_t first = table.columns.size();
    std::vector<size_t> kept;
    for (size_t i = 0; i < full.size(); ++i) {
      const Column& column = table.columns[i];
      least[i] = IsFixed(column) ? full[i] : std::min(full[i], column.least);
      if (column.drop > 0 && (first == table.columns.size() ||
                              column.drop > table.columns[first].drop)) {
        first = i;
      }
    }
    if (TotalOf(least) <= total || first == table.columns.size()) {
      break;
    }
    dropped += (dropped.empty() ? "" : ", ") + table.columns[first].header;
    for (size_t i = 0; i < full.size(); ++i) {
      if (i != first) {
        kept.push_back(i);
      }
    }
    table = ColumnsOf(table, kept);
  }
  if (!dropped.empty()) {
    table.notes.push_back("(a wider terminal shows: " + dropped + ")");
  }
  return table;
}

// TABLE in parts that fit into TOTAL columns, each with its first column.
std::vector<Table> Folded(const Table& table, int total) {
  const std::vector<int> widths = FullWidths(table, GridOf(table));
  std::vector<std::vector<size_t>> parts = {{0}};
  int used = widths.empty() ? 0 : widths[0];
  for (size_t i = 1; i < widths.size(); ++i) {
    if (used + kGap + widths[i] > total && parts.back().size() > 1) {
      parts.push_back({0});
      used = widths[0];
    }
    parts.back().push_back(i);
    used += kGap + widths[i];
  }
  std::vector<Table> tables;
  for (const auto& indexes : parts) {
    if (!tables.empty()) {
      tables.back().notes.clear();  // they stand below the last
    }
    tables.push_back(ColumnsOf(table, indexes));
  }
  return tables;
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

std::string WriteOne(const Table& table, const TerminalStyle& style) {
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
    out += Wrapped(Printable(note), style.width) + "\n";
  }
  return out;
}

}  // namespace

std::string WriteTerminal(const Table& table, const TerminalStyle& style) {
  const Table narrowed = Narrowed(table, style.width);
  if (!narrowed.foldable || narrowed.columns.empty()) {
    return WriteOne(narrowed, style);
  }
  std::string out;
  for (const Table& part : Folded(narrowed, style.width)) {
    out += (out.empty() ? "" : "\n") + WriteOne(part, style);
  }
  return out;
}

}  // namespace zs::results
