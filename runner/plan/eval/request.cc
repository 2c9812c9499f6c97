#include "runner/plan/eval/request.h"

namespace zs {
namespace {

Json ToJson(const EvalLimits& limits) {
  return {{"memory_bytes", limits.memory_bytes},
          {"cpu_s", limits.cpu_s},
          {"wall_s", limits.wall_s},
          {"stack_bytes", limits.stack_bytes},
          {"max_frames", limits.max_frames},
          {"output_bytes", limits.output_bytes}};
}

EvalLimits LimitsFrom(const Json& json) {
  EvalLimits limits;
  json.at("memory_bytes").get_to(limits.memory_bytes);
  json.at("cpu_s").get_to(limits.cpu_s);
  json.at("wall_s").get_to(limits.wall_s);
  json.at("stack_bytes").get_to(limits.stack_bytes);
  json.at("max_frames").get_to(limits.max_frames);
  json.at("output_bytes").get_to(limits.output_bytes);
  return limits;
}

}  // namespace

std::string ToLine(const EvalRequest& request) {
  return DumpJson({{"file", request.file},
                   {"jpaths", request.jpaths},
                   {"library_dir", request.library_dir},
                   {"ext_strs", request.ext_strs},
                   {"ext_codes", request.ext_codes},
                   {"tla_strs", request.tla_strs},
                   {"tla_codes", request.tla_codes},
                   {"machine", request.machine},
                   {"overlay", request.overlay},
                   {"limits", ToJson(request.limits)}}) +
         "\n";
}

Result<EvalRequest> EvalRequestFromLine(std::string_view line) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(line));
  try {
    EvalRequest request;
    json.at("file").get_to(request.file);
    json.at("jpaths").get_to(request.jpaths);
    json.at("library_dir").get_to(request.library_dir);
    json.at("ext_strs").get_to(request.ext_strs);
    json.at("ext_codes").get_to(request.ext_codes);
    json.at("tla_strs").get_to(request.tla_strs);
    json.at("tla_codes").get_to(request.tla_codes);
    json.at("machine").get_to(request.machine);
    json.at("overlay").get_to(request.overlay);
    request.limits = LimitsFrom(json.at("limits"));
    return request;
  } catch (const Json::exception& e) {
    return InvalidArgumentError(e.what());
  }
}

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
