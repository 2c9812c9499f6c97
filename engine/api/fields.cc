#include "engine/api/fields.h"

#include <cmath>

namespace zs {
namespace {

// VALUE as text, cut where it is long.
std::string Shown(const Json& value) {
  std::string text = DumpJson(value);
  constexpr size_t kMax = 60;
  if (text.size() > kMax) {
    text.resize(kMax);
    text += "...";
  }
  return text;
}

std::string Number(double value) {
  return DumpJson(value == std::floor(value) && std::abs(value) < 1e15
                      ? Json(static_cast<int64_t>(value))
                      : Json(value));
}

// The inverse of NumberJson for strings; false for any other text.
bool ReadNonFinite(const Json& json, double& value) {
  const auto& text = json.get_ref<const std::string&>();
  if (text == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (text == "inf") {
    value = std::numeric_limits<double>::infinity();
  } else if (text == "-inf") {
    value = -std::numeric_limits<double>::infinity();
  } else {
    return false;
  }
  return true;
}

std::string RangeText(const FieldRange& limits) {
  if (std::isinf(limits.max)) {
    return "at least " + Number(limits.min);
  }
  if (std::isinf(limits.min)) {
    return "at most " + Number(limits.max);
  }
  return Number(limits.min) + " to " + Number(limits.max);
}

std::string ListText(const std::vector<std::string_view>& values) {
  std::string text;
  for (const std::string_view value : values) {
    text += (text.empty() ? "\"" : ", \"") + std::string(value) + '"';
  }
  return text;
}

}  // namespace

Json NumberJson(double value) {
  if (std::isfinite(value)) {
    return value;
  }
  if (std::isnan(value)) {
    return "nan";
  }
  return value > 0 ? "inf" : "-inf";
}

FieldReader::FieldReader(const Json& object, std::string path,
                         std::vector<std::string>& faults)
    : object_(object), path_(std::move(path)), faults_(faults) {
  if (!object_.is_object()) {
    Fault(path_.empty() ? "document" : path_, Shown(object_), "an object");
  }
}

const Json* FieldReader::Find(std::string_view name, const FieldRange& limits) {
  known_.emplace(name);
  if (!object_.is_object()) {
    return nullptr;
  }
  const auto it = object_.find(std::string(name));
  if (it == object_.end()) {
    if (limits.required) {
      faults_.push_back(PathOf(name) + ": missing");
    }
    return nullptr;
  }
  return &*it;
}

std::string FieldReader::PathOf(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

void FieldReader::Fault(const std::string& path, const std::string& found,
                        const std::string& allowed) {
  faults_.push_back(path + ": " + found +
                    " is not allowed; allowed: " + allowed);
}

void FieldReader::Finish() {
  if (!object_.is_object()) {
    return;
  }
  for (const auto& [key, value] : object_.items()) {
    if (!known_.contains(key)) {
      faults_.push_back(PathOf(key) + ": unknown field");
    }
  }
}

void FieldReader::Read(const Json& json, const std::string& path,
                       const FieldRange&, bool& value) {
  if (!json.is_boolean()) {
    Fault(path, Shown(json), "true or false");
    return;
  }
  value = json.get<bool>();
}

bool FieldReader::InRange(double number, const Json& json,
                          const std::string& path, const FieldRange& limits) {
  if (!(number >= limits.min && number <= limits.max)) {
    Fault(path, Shown(json), RangeText(limits));
    return false;
  }
  return true;
}

void FieldReader::Read(const Json& json, const std::string& path,
                       const FieldRange& limits, double& value) {
  if (limits.non_finite && json.is_string() && ReadNonFinite(json, value)) {
    return;
  }
  if (!json.is_number()) {
    Fault(path, Shown(json), "a number");
    return;
  }
  if (InRange(json.get<double>(), json, path, limits)) {
    value = json.get<double>();
  }
}

bool FieldReader::ReadInteger(const Json& json, const std::string& path,
                              const FieldRange& limits, int64_t& value) {
  const double number = json.is_number() ? json.get<double>() : NAN;
  if (!json.is_number() || number != std::floor(number) ||
      std::abs(number) > kMaxExactInteger) {
    Fault(path, Shown(json), "an integer of at most 2^53");
    return false;
  }
  if (!InRange(number, json, path, limits)) {
    return false;
  }
  value = static_cast<int64_t>(number);
  return true;
}

void FieldReader::Read(const Json& json, const std::string& path,
                       const FieldRange& limits, std::string& value) {
  if (!json.is_string()) {
    Fault(path, Shown(json), "a string");
    return;
  }
  const auto& text = json.get_ref<const std::string&>();
  if (limits.one_of.empty()) {
    value = text;
    return;
  }
  for (const std::string_view allowed : limits.one_of) {
    if (text == allowed) {
      value = text;
      return;
    }
  }
  Fault(path, Shown(json), ListText(limits.one_of));
}

void FieldReader::Read(const Json& json, const std::string& path,
                       const FieldRange&, std::vector<std::string>& value) {
  if (!json.is_array()) {
    Fault(path, Shown(json), "a list of strings");
    return;
  }
  std::vector<std::string> texts;
  for (size_t i = 0; i < json.size(); ++i) {
    if (!json[i].is_string()) {
      Fault(path + "[" + std::to_string(i) + "]", Shown(json[i]), "a string");
      return;
    }
    texts.push_back(json[i].get<std::string>());
  }
  value = std::move(texts);
}

}  // namespace zs
