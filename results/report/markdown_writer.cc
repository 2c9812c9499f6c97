#include "results/report/markdown_writer.h"

#include "results/report/text.h"

namespace zs::results {
namespace {

std::string RowOf(const std::vector<std::string>& texts) {
  std::string row = "|";
  for (const std::string& text : texts) {
    row += " " + text + " |";
  }
  return row + "\n";
}

}  // namespace

std::string MarkdownText(std::string_view text) {
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
      case '|':
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '~':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string WriteMarkdown(const Table& table) {
  std::vector<std::string> header;
  std::vector<std::string> rule;
  for (const Column& column : table.columns) {
    header.push_back(MarkdownText(column.header));
    rule.emplace_back(column.right ? "---:" : "---");
  }
  std::string out =
      table.title.empty() ? "" : "### " + MarkdownText(table.title) + "\n\n";
  out += RowOf(header) + RowOf(rule);
  for (const auto& row : table.rows) {
    std::vector<std::string> texts;
    for (const Cell& cell : row) {
      texts.push_back(MarkdownText(cell.text));
    }
    out += RowOf(texts);
  }
  for (const std::string& note : table.notes) {
    out += "\n" + MarkdownText(note) + "\n";
  }
  return out;
}

}  // namespace zs::results
