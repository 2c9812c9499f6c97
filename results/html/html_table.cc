#include "results/html/html_table.h"

#include <string_view>
#include <utility>

#include "base/json.h"
#include "results/html/html_text.h"

namespace zs::results {
namespace {

// The class that colours a word.
std::string_view ClassOf(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> kClasses[] = {
      {"FASTER", "good"},    {"equal", "good"},   {"pass", "good"},
      {"healthy", "good"},   {"SLOWER", "bad"},   {"DIFFERENT", "bad"},
      {"fail", "bad"},       {"error", "bad"},    {"unfair", "bad"},
      {"UNDECIDED", "open"}, {"warn", "open"},    {"warning", "open"},
      {"undecided", "open"}, {"SAME", "same"},    {"baseline", "same"},
      {"alone", "same"},     {"info", "unknown"}, {"unknown", "unknown"}};
  for (const auto& [word, name] : kClasses) {
    if (word == text) {
      return name;
    }
  }
  return "";
}

std::string ValueAttribute(const Cell& cell) {
  Json value;
  if (const auto* number = std::get_if<int64_t>(&cell.value)) {
    value = *number;
  } else if (const auto* fraction = std::get_if<double>(&cell.value)) {
    value = *fraction;
  } else {
    return "";
  }
  return " data-value=\"" + DumpJson(value) + "\"";
}

std::string CellHtml(const Cell& cell, const Column& column, bool header,
                     const std::string& attributes) {
  const std::string tag = header ? "th" : "td";
  std::string classes = column.right ? "number" : "";
  const std::string_view word = ClassOf(cell.text);
  classes += (classes.empty() || word.empty() ? "" : " ") + std::string(word);
  return "<" + tag + (header ? " scope=\"row\"" : "") +
         (classes.empty() ? "" : " class=\"" + classes + "\"") +
         ValueAttribute(cell) + attributes + ">" + HtmlText(cell.text) + "</" +
         tag + ">";
}

std::string HeadHtml(const Table& table) {
  std::string out = "<thead><tr>";
  for (const Column& column : table.columns) {
    out += std::string("<th scope=\"col\"") +
           (column.right ? " class=\"number\">" : ">") +
           HtmlText(column.header) + "</th>";
  }
  return out + "</tr></thead>";
}

}  // namespace

std::string TableHtml(const Table& table, const TableLook& look) {
  std::string out =
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
      HtmlText(look.caption) + "\"><table";
  out += look.sortable ? " class=\"sortable\"" : "";
  out += "><caption>" + HtmlText(look.caption) + "</caption>" +
         HeadHtml(table) + "<tbody>\n";
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const auto& row = table.rows[r];
    out += "<tr>";
    for (size_t c = 0; c < row.size() && c < table.columns.size(); ++c) {
      out += CellHtml(row[c], table.columns[c], c == 0,
                      look.attributes ? look.attributes(r, c) : "");
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace zs::results
