#include "runner/plan/spec/json_schema.h"

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/api/run_config_fields.h"
#include "runner/plan/spec/experiment_fields.h"

namespace zs {
namespace {

constexpr char kNamePattern[] = "^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$";

Json StringsSchema() {
  return {{"type", "array"}, {"items", {{"type", "string"}}}};
}

// A number as JSON, whole where it is whole.
Json Number(double value) {
  return value == std::floor(value) && std::abs(value) < 1e16
             ? Json(static_cast<int64_t>(value))
             : Json(value);
}

// A visitor that describes the fields of one object.
class SchemaWriter {
 public:
  template <typename T>
  void Field(std::string_view name, const T& value, const FieldRange& range) {
    Add(name, Describe(value, range), range.required);
  }

  template <typename T>
  void Struct(std::string_view name, T& value) {
    SchemaWriter inner;
    VisitFields(inner, value);
    Add(name, inner.Take(), false);
  }

  template <typename T>
  void Section(std::string_view name, const std::optional<T>&) {
    T value;
    Struct(name, value);
  }

  void Name(std::string_view name, const std::string&, bool required) {
    Add(name, {{"type", "string"}, {"pattern", kNamePattern}}, required);
  }
  void Names(std::string_view name, const std::vector<std::string>&) {
    Add(name,
        {{"type", "array"},
         {"uniqueItems", true},
         {"items", {{"type", "string"}, {"pattern", kNamePattern}}}},
        false);
  }
  void Hosts(std::string_view name, const std::vector<std::string>&) {
    Json list = StringsSchema();
    list["minItems"] = 1;
    Add(name, {{"oneOf", {{{"type", "string"}}, list}}}, false);
  }
  void Argv(std::string_view name, const std::vector<std::string>&) {
    Add(name, StringsSchema(), false);
  }
  void Environment(std::string_view name,
                   const std::map<std::string, std::string>&) {
    Add(name,
        {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}},
        false);
  }

  void Add(std::string_view name, Json schema, bool required) {
    properties_[std::string(name)] = std::move(schema);
    if (required) {
      required_.push_back(std::string(name));
    }
  }

  Json Take() {
    Json schema = {{"type", "object"},
                   {"additionalProperties", false},
                   {"properties", std::move(properties_)}};
    if (!required_.empty()) {
      schema["required"] = std::move(required_);
    }
    return schema;
  }

 private:
  static void AddRange(const FieldRange& range, Json* schema) {
    if (std::isfinite(range.min)) {
      (*schema)["minimum"] = Number(range.min);
    }
    if (std::isfinite(range.max)) {
      (*schema)["maximum"] = Number(range.max);
    }
  }

  static Json Describe(const bool& value, const FieldRange&) {
    return {{"type", "boolean"}, {"default", value}};
  }
  static Json Describe(const std::string& value, const FieldRange& range) {
    Json schema = {{"type", "string"}};
    if (!range.one_of.empty()) {
      schema["enum"] = range.one_of;
    }
    if (!range.required) {
      schema["default"] = value;
    }
    return schema;
  }
  static Json Describe(const std::vector<std::string>&,
                       const FieldRange& range) {
    Json schema = StringsSchema();
    if (!range.one_of.empty()) {
      schema["items"]["enum"] = range.one_of;
    }
    return schema;
  }
  template <typename T>
  requires std::is_arithmetic_v<T>
  static Json Describe(const T& value, const FieldRange& range) {
    Json schema = {{"type", std::is_integral_v<T> ? "integer" : "number"}};
    AddRange(range, &schema);
    if (!range.required) {
      schema["default"] = value;
    }
    return schema;
  }
  template <typename T>
  static Json Describe(const std::optional<T>&, const FieldRange& range) {
    FieldRange without_default = range;
    without_default.required = true;
    return Describe(T{}, without_default);
  }

  Json properties_ = Json::object();
  std::vector<std::string> required_;
};

Json ExperimentSchema() {
  Experiment experiment;
  std::string backend = "engine";
  SchemaWriter writer;
  VisitCommonFields(writer, experiment, backend);
  writer.Struct("model", experiment.model);
  writer.Struct("data", experiment.data);
  writer.Struct("train", experiment.train);
  writer.Struct("topology", experiment.topology);
  writer.Struct("checkpoint", experiment.checkpoint);
  writer.Struct("limits", experiment.limits);
  writer.Struct("ulimits", experiment.ulimits);
  writer.Struct("checks", experiment.checks);
  writer.Struct("expect", experiment.expect);
  writer.Struct("compare", experiment.compare);
  writer.Struct("until", experiment.until);
  writer.Section("megatron", experiment.megatron);
  writer.Section("command", experiment.command);
  writer.Section("collectives", experiment.collectives);
  return writer.Take();
}

}  // namespace

Json ExperimentJsonSchema() {
  const Sweep sweep;
  SchemaWriter writer;
  writer.Add("schema", {{"const", 1}}, true);
  writer.Name("sweep", "", true);
  writer.Field("total_s", sweep.total_s, Between(0, 1e8));
  writer.Field("seed", sweep.seed, Between(0, kMaxExactInteger));
  writer.Add(
      "experiments",
      {{"type", "array"}, {"minItems", 1}, {"items", ExperimentSchema()}},
      true);
  Json schema = writer.Take();
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "What an experiment file evaluates to";
  return schema;
}

}  // namespace zs
