#include "results/report/json_writer.h"

namespace zs::results {
namespace {

Json ValueOf(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell.value)) {
    return *text;
  }
  if (const auto* number = std::get_if<int64_t>(&cell.value)) {
    return *number;
  }
  if (const auto* number = std::get_if<double>(&cell.value)) {
    return *number;
  }
  return nullptr;
}

}  // namespace

Json TableJson(const Table& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (size_t i = 0; i < row.size() && i < table.columns.size(); ++i) {
      object[table.columns[i].name] = ValueOf(row[i]);
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

}  // namespace zs::results
