#include "results/report/conditions.h"

#include <utility>

#include "base/json.h"
#include "base/step_range.h"

namespace zs::results {
namespace {

constexpr double kRounding = 1e-3;

// TEXT as a document; null where it is none.
Json Parsed(const std::string& text) {
  Result<Json> document = ParseJson(text);
  return document.ok() ? std::move(document).value() : Json();
}

// The member NAME of OBJECT; null where there is none.
Json Member(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() ? *found : Json();
}

// With its defaults where the key has it, so that a field that is left out
// equals one that states its default.
Json AskedOf(const RunRow& run, const Json& parts) {
  Json asked = Member(parts, "specification");
  if (!asked.is_object()) {
    return Parsed(run.experiment.spec_json);
  }
  asked["env"] = Member(parts, "environment");
  return asked;
}

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace

Result<std::string> ConditionsOf(const Reader& reader, const RunRow& run) {
  ASSIGN_OR_RETURN(const std::string environment,
                   reader.EnvironmentJson(run.id));
  ASSIGN_OR_RETURN(const std::vector<NodeRow> nodes, reader.Nodes(run.id));
  Json hosts = Json::array();
  for (const NodeRow& node : nodes) {
    hosts.push_back(node.host);
  }
  const Json parts = Parsed(run.experiment.key_parts_json);
  const Effective& e = run.effective;
  return DumpJson({{"asked", AskedOf(run, parts)},
                   {"data", Member(parts, "data")},
                   {"engine", Member(parts, "engine")},
                   {"software", Member(parts, "software")},
                   {"hardware", Member(parts, "hardware")},
                   {"environment", Parsed(environment)},
                   {"hosts", hosts},
                   {"in_effect",
                    {{"accumulation", OrNull(e.accumulation)},
                     {"device", e.device},
                     {"parameters", OrNull(e.parameters)},
                     {"threads_per_rank", OrNull(e.threads_per_rank)},
                     {"versions", Parsed(e.versions_json)}}}});
}

std::optional<StepWindow> DeclaredWindow(const RunRow& run) {
  const Json window =
      Member(Member(Parsed(run.experiment.spec_json), "compare"), "window");
  const auto range = window.is_string()
                         ? ParseStepRange(window.get<std::string>())
                         : std::nullopt;
  return range ? std::optional(StepWindow{range->first, range->last})
               : std::nullopt;
}

LossTolerance LossToleranceOf(const RunRow& run) {
  const Json spec = Parsed(run.experiment.spec_json);
  const Json tolerance = Member(Member(spec, "compare"), "loss_tolerance");
  if (tolerance.is_number()) {
    return {.share = tolerance.get<double>(), .declared = true};
  }
  const Json exact = Member(Member(spec, "train"), "deterministic");
  const bool deterministic = !exact.is_boolean() || exact.get<bool>();
  const bool fp32 =
      run.experiment.dtype.empty() || run.experiment.dtype == "fp32";
  return {.share = deterministic && fp32 ? 0 : kRounding};
}

}  // namespace zs::results
