#include "runner/predict/profile.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/files.h"

namespace zs {
namespace {

struct NumberField {
  const char* name;
  double MachineProfile::*field;
  bool positive;  // must be above zero
};

constexpr std::array<NumberField, 10> kNumbers = {{
    {"cores", &MachineProfile::cores, false},
    {"core_scaling", &MachineProfile::core_scaling, false},
    {"attention_forward_tflops", &MachineProfile::attention_forward_tflops,
     true},
    {"attention_backward_tflops", &MachineProfile::attention_backward_tflops,
     true},
    {"memory_gb_s", &MachineProfile::memory_gb_s, true},
    {"optimizer_gb_s", &MachineProfile::optimizer_gb_s, true},
    {"overhead_ms", &MachineProfile::overhead_ms, false},
    {"pass_overhead_ms", &MachineProfile::pass_overhead_ms, false},
    {"interference", &MachineProfile::interference, false},
    {"error_pct", &MachineProfile::error_pct, false},
}};

struct TextField {
  const char* name;
  std::string MachineProfile::*field;
};

constexpr std::array<TextField, 4> kTexts = {{
    {"name", &MachineProfile::name},
    {"source", &MachineProfile::source},
    {"device", &MachineProfile::device},
    {"match", &MachineProfile::match},
}};

Status Fault(const std::string& origin, const std::string& what) {
  return InvalidArgumentError(origin + ": " + what);
}

Result<double> Number(const Json& json, const char* name, bool positive,
                      const std::string& origin) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number()) {
    return Fault(origin, std::string(name) + ": a number is missing");
  }
  const auto value = found->get<double>();
  if (!std::isfinite(value) || value < 0 || (positive && value == 0)) {
    return Fault(origin, std::string(name) + ": " + found->dump() +
                             " is not allowed; allowed: " +
                             (positive ? "above 0" : "0 or more"));
  }
  return value;
}

Result<LinkRate> Link(const Json& json, const char* name,
                      const std::string& origin) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_object()) {
    return Fault(origin, std::string(name) + ": {latency_us, gb_s} is missing");
  }
  const std::string where = origin + ": " + name;
  LinkRate link;
  ASSIGN_OR_RETURN(link.latency_us, Number(*found, "latency_us", false, where));
  ASSIGN_OR_RETURN(link.gb_s, Number(*found, "gb_s", true, where));
  return link;
}

Result<std::vector<GemmRate>> Gemm(const Json& json,
                                   const std::string& origin) {
  const auto found = json.find("gemm");
  if (found == json.end() || !found->is_array() || found->empty()) {
    return Fault(origin, "gemm: a list of {width, tflops} is missing");
  }
  std::vector<GemmRate> rates;
  for (const Json& entry : *found) {
    if (!entry.is_object()) {
      return Fault(origin, "gemm: an entry is no {width, tflops}");
    }
    GemmRate rate;
    ASSIGN_OR_RETURN(rate.width, Number(entry, "width", true, origin));
    ASSIGN_OR_RETURN(rate.tflops, Number(entry, "tflops", true, origin));
    rates.push_back(rate);
  }
  std::sort(
      rates.begin(), rates.end(),
      [](const GemmRate& a, const GemmRate& b) { return a.width < b.width; });
  return rates;
}

Json LinkJson(const LinkRate& link) {
  return {{"latency_us", link.latency_us}, {"gb_s", link.gb_s}};
}

Status CheckNames(const Json& json, const std::string& origin) {
  const Json known = ToJson(MachineProfile());
  for (const auto& [name, value] : json.items()) {
    if (!known.contains(name)) {
      return Fault(origin, "'" + name + "' is no field of a profile");
    }
  }
  return OkStatus();
}

}  // namespace

Json ToJson(const MachineProfile& profile) {
  Json json = {{"schema", 1},
               {"network_assumed", profile.network_assumed},
               {"ranks_measured", profile.ranks_measured},
               {"turn_ms", profile.turn_ms ? Json(*profile.turn_ms) : Json()},
               {"node", LinkJson(profile.node)},
               {"network", LinkJson(profile.network)}};
  for (const TextField& text : kTexts) {
    json[text.name] = profile.*text.field;
  }
  for (const NumberField& number : kNumbers) {
    json[number.name] = profile.*number.field;
  }
  json["gemm"] = Json::array();
  for (const GemmRate& rate : profile.gemm) {
    json["gemm"].push_back({{"width", rate.width}, {"tflops", rate.tflops}});
  }
  return json;
}

Result<MachineProfile> ProfileFromJson(const Json& json,
                                       const std::string& origin) {
  if (!json.is_object() || json.value("schema", Json()) != Json(1)) {
    return Fault(origin, "no machine profile: {\"schema\": 1, ...} expected");
  }
  RETURN_IF_ERROR(CheckNames(json, origin));
  MachineProfile profile;
  for (const TextField& text : kTexts) {
    const auto found = json.find(text.name);
    if (found == json.end() || !found->is_string()) {
      return Fault(origin, std::string(text.name) + ": a text is missing");
    }
    profile.*text.field = found->get<std::string>();
  }
  if (profile.device != "cpu" && profile.device != "cuda") {
    return Fault(origin, "device: '" + profile.device +
                             "' is not allowed; allowed: cpu, cuda");
  }
  for (const NumberField& number : kNumbers) {
    ASSIGN_OR_RETURN(profile.*number.field,
                     Number(json, number.name, number.positive, origin));
  }
  if (json.contains("turn_ms") && !json["turn_ms"].is_null()) {
    ASSIGN_OR_RETURN(profile.turn_ms, Number(json, "turn_ms", false, origin));
  }
  ASSIGN_OR_RETURN(profile.gemm, Gemm(json, origin));
  ASSIGN_OR_RETURN(profile.node, Link(json, "node", origin));
  ASSIGN_OR_RETURN(profile.network, Link(json, "network", origin));
  ASSIGN_OR_RETURN(const double ranks,
                   Number(json, "ranks_measured", true, origin));
  profile.ranks_measured = static_cast<int>(std::min(ranks, 1e6));
  const auto assumed = json.find("network_assumed");
  if (assumed == json.end() || !assumed->is_boolean()) {
    return Fault(origin, "network_assumed: true or false is missing");
  }
  profile.network_assumed = assumed->get<bool>();
  return profile;
}

Result<MachineProfile> ReadProfile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const Result<Json> json = ParseJson(text);
  if (!json.ok()) {
    return json.status().WithContext(path);
  }
  return ProfileFromJson(*json, path);
}

double GemmFlops(const MachineProfile& profile, double width) {
  const auto& rates = profile.gemm;
  const auto above =
      std::find_if(rates.begin(), rates.end(),
                   [&](const GemmRate& rate) { return rate.width >= width; });
  if (above == rates.end()) {
    return rates.empty() ? 0 : rates.back().tflops * 1e12;
  }
  if (above == rates.begin() || above->width == width) {
    return above->tflops * 1e12;
  }
  const GemmRate& below = *(above - 1);
  const double share =
      std::log(width / below.width) / std::log(above->width / below.width);
  return (below.tflops + share * (above->tflops - below.tflops)) * 1e12;
}

}  // namespace zs
