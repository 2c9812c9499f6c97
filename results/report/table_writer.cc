#include "results/report/table_writer.h"

#include "results/report/csv_writer.h"
#include "results/report/json_writer.h"
#include "results/report/markdown_writer.h"

namespace zs::results {
namespace {

std::string WriteJson(const std::vector<Table>& tables) {
  if (tables.size() == 1) {
    return DumpJsonPretty(TableJson(tables.front())) + "\n";
  }
  Json all = Json::object();
  for (const Table& table : tables) {
    all[table.title] = TableJson(table);
  }
  return DumpJsonPretty(all) + "\n";
}

std::string WriteOne(const Table& table, Format format,
                     const TerminalStyle& style) {
  switch (format) {
    case Format::kTable:
      return WriteTerminal(table, style);
    case Format::kMarkdown:
      return WriteMarkdown(table);
    case Format::kCsv:
      return WriteCsv(table);
    case Format::kJson:
      break;
  }
  return WriteJson({table});
}

}  // namespace

std::string WriteTables(const std::vector<Table>& tables, Format format,
                        const TerminalStyle& style) {
  if (format == Format::kJson) {
    return WriteJson(tables);
  }
  std::string out;
  for (const Table& table : tables) {
    if (!out.empty()) {
      out += '\n';
    }
    out += WriteOne(table, format, style);
  }
  return out;
}

}  // namespace zs::results
