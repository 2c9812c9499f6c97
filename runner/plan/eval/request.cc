#include "runner/plan/eval/request.h"

namespace zs {
std::string ToLine(const EvalHeader& header) {
  Json files = Json::array();
  for (const ImportedFile& file : header.files) {
    files.push_back({file.path, file.sha256});
  }
  return DumpJson({{"error", header.error}, {"files", files}}) + "\n";
}

Result<EvalHeader> EvalHeaderFromLine(std::string_view line) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(line));
  try {
    EvalHeader header;
    json.at("error").get_to(header.error);
    for (const Json& file : json.at("files")) {
      header.files.push_back({.path = file.at(0), .sha256 = file.at(1)});
    }
    return header;
  } catch (const Json::exception& e) {
    return InvalidArgumentError(e.what());
  }
}

}  // namespace zs
