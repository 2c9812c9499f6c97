#include "runner/plan/spec/object_reader.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "runner/plan/spec/hosts.h"

namespace zs {
namespace {

constexpr size_t kMaxWordBytes = 131071;
constexpr std::string_view kNameRule =
    "1 to 100 of the characters A-Z a-z 0-9 . _ -, neither '.' nor '-' first";

// What the runner itself sets for each rank.
constexpr std::string_view kReserved[] = {
    "RANK",           "LOCAL_RANK",  "WORLD_SIZE", "LOCAL_WORLD_SIZE",
    "MASTER_ADDR",    "MASTER_PORT", "NODE_RANK",  "NNODES",
    "NPROC_PER_NODE", "GROUP_RANK"};

std::string NumberText(double value) {
  return DumpJson(value == std::floor(value) && std::abs(value) < 1e15
                      ? Json(static_cast<int64_t>(value))
                      : Json(value));
}

std::string RangeText(const FieldRange& limits) {
  if (std::isinf(limits.max) && std::isinf(limits.min)) {
    return "";
  }
  if (std::isinf(limits.max)) {
    return " of at least " + NumberText(limits.min);
  }
  if (std::isinf(limits.min)) {
    return " of at most " + NumberText(limits.max);
  }
  return " from " + NumberText(limits.min) + " to " + NumberText(limits.max);
}

std::string WordsText(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    text += (text.empty() ? "\"" : ", \"") + std::string(word) + '"';
  }
  return text;
}

}  // namespace

bool IsPlainText(std::string_view text) {
  return text.size() <= kMaxWordBytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return (byte >= 0x20 && byte != 0x7F) || c == '\n' || c == '\t';
         });
}

ObjectReader::ObjectReader(const Json& object, const Place& place,
                           std::vector<Fault>& faults)
    : object_(object), place_(place), faults_(faults) {
  known_.reserve(24);
  if (!object_.is_object()) {
    Wrong(place_, Shown(object_), "an object");
  }
}

void ObjectReader::Wrong(const Place& place, std::string_view found,
                         std::string_view allowed) {
  faults_.push_back({place.ToString(),
                     std::string(found) +
                         " is not allowed; allowed: " + std::string(allowed)});
}

const Json* ObjectReader::Find(std::string_view name, bool required) {
  known_.push_back(name);
  if (!object_.is_object()) {
    return nullptr;
  }
  // find() of this nlohmann version takes no string_view without a copy; the
  // names are short enough for that copy to need no allocation.
  const auto it = object_.find(std::string(name));
  if (it != object_.end()) {
    ++found_;
    return &*it;
  }
  if (required) {
    faults_.push_back({Place(place_, name).ToString(), "missing"});
  }
  return nullptr;
}

void ObjectReader::Finish() {
  if (!object_.is_object() || found_ == object_.size()) {
    return;
  }
  for (const auto& item : object_.items()) {
    if (std::find(known_.begin(), known_.end(), item.key()) == known_.end()) {
      std::string key = Shown(std::string_view(item.key()));
      faults_.push_back(
          {place_.ToString(), "unknown field " + key +
                                  " (its value: " + Shown(item.value()) + ")" +
                                  DidYouMean(item.key(), known_)});
    }
  }
}

bool ObjectReader::IsText(const Json& json, const Place& place) {
  if (!json.is_string()) {
    Wrong(place, Shown(json), "a string");
    return false;
  }
  const auto& text = json.get_ref<const std::string&>();
  if (!IsPlainText(text)) {
    Wrong(place, Shown(json),
          "text of at most 131071 bytes without control characters (line feed "
          "and tab excepted)");
    return false;
  }
  return true;
}

const Json* ObjectReader::List(std::string_view name) {
  const Json* found = Find(name, false);
  if (found != nullptr && !found->is_array()) {
    Wrong(Place(place_, name), Shown(*found), "a list of strings");
    return nullptr;
  }
  return found;
}

void ObjectReader::Name(std::string_view name, std::string& value,
                        bool required) {
  const Json* found = Find(name, required);
  if (found == nullptr) {
    return;
  }
  if (!found->is_string() || !IsName(found->get_ref<const std::string&>())) {
    Wrong(Place(place_, name), Shown(*found), kNameRule);
    return;
  }
  value = found->get_ref<const std::string&>();
}

void ObjectReader::Names(std::string_view name,
                         std::vector<std::string>& value) {
  const Json* list = List(name);
  if (list == nullptr) {
    return;
  }
  std::unordered_set<std::string_view> seen;
  for (size_t i = 0; i < list->size(); ++i) {
    const Json& element = (*list)[i];
    const Place place(place_, name, i, "");
    if (!element.is_string() ||
        !IsName(element.get_ref<const std::string&>())) {
      Wrong(place, Shown(element), kNameRule);
      continue;
    }
    const auto& text = element.get_ref<const std::string&>();
    if (!seen.insert(text).second) {
      faults_.push_back({place.ToString(), Shown(element) + " stands twice"});
      continue;
    }
    value.push_back(text);
  }
}

void ObjectReader::AddHosts(const Json& json, const Place& place,
                            std::vector<std::string>& hosts) {
  if (!json.is_string()) {
    Wrong(place, Shown(json), "a host name or a pattern such as g[0033-0036]");
    return;
  }
  auto expanded = ExpandHosts(json.get_ref<const std::string&>());
  if (!expanded.ok()) {
    faults_.push_back({place.ToString(), expanded.status().message()});
    return;
  }
  for (std::string& host : *expanded) {
    hosts.push_back(std::move(host));
  }
}

void ObjectReader::Hosts(std::string_view name,
                         std::vector<std::string>& value) {
  const Json* found = Find(name, false);
  if (found == nullptr) {
    return;
  }
  const Place place(place_, name);
  const size_t before = faults_.size();
  std::vector<std::string> hosts;
  if (found->is_array()) {
    for (size_t i = 0; i < found->size(); ++i) {
      AddHosts((*found)[i], Place(place_, name, i, ""), hosts);
    }
  } else {
    AddHosts(*found, place, hosts);
  }
  std::unordered_set<std::string_view> seen;
  for (const std::string& host : hosts) {
    if (!seen.insert(host).second) {
      faults_.push_back({place.ToString(), "host " + host + " stands twice"});
    }
  }
  if (hosts.size() > kMaxHosts || (hosts.empty() && faults_.size() == before)) {
    Wrong(place, std::to_string(hosts.size()) + " hosts", "1 to 4096 hosts");
  }
  value = std::move(hosts);
}

void ObjectReader::Argv(std::string_view name,
                        std::vector<std::string>& value) {
  const Json* list = List(name);
  if (list == nullptr) {
    return;
  }
  Read(*list, Place(place_, name), FieldRange{}, value);
  if (!value.empty() && (value[0].empty() || value[0][0] == '-')) {
    Wrong(Place(place_, name, 0, ""), Shown(std::string_view(value[0])),
          "a program, which is neither empty nor begins with '-'");
  }
}

void ObjectReader::ReadVariable(const std::string& name, const Json& json,
                                const Place& place,
                                std::map<std::string, std::string>& value) {
  if (!IsVariableName(name)) {
    Wrong(place, Shown(std::string_view(name)),
          "variable names of letters, digits and '_', no digit first");
  } else if (std::find(std::begin(kReserved), std::end(kReserved), name) !=
             std::end(kReserved)) {
    faults_.push_back({Place(place, name).ToString(),
                       "is set by the runner for each rank; leave it out"});
  } else if (!json.is_string() && !json.is_structured()) {
    Wrong(Place(place, name), Shown(json),
          "a string: " + Shown(std::string_view(DumpJson(json))));
  } else if (IsText(json, Place(place, name))) {
    value.emplace(name, json.get_ref<const std::string&>());
  }
}

void ObjectReader::Environment(std::string_view name,
                               std::map<std::string, std::string>& value) {
  const Json* found = Find(name, false);
  if (found == nullptr) {
    return;
  }
  const Place place(place_, name);
  if (!found->is_object()) {
    Wrong(place, Shown(*found), "an object of strings");
    return;
  }
  for (const auto& item : found->items()) {
    ReadVariable(item.key(), item.value(), place, value);
  }
}

void ObjectReader::Read(const Json& json, const Place& place, const FieldRange&,
                        bool& value) {
  if (!json.is_boolean()) {
    Wrong(place, Shown(json), "true or false");
    return;
  }
  value = json.get<bool>();
}

bool ObjectReader::InRange(const Json& json, const Place& place,
                           const FieldRange& limits) {
  const double number = json.get<double>();
  if (!(number >= limits.min && number <= limits.max)) {
    Wrong(place, Shown(json), "a value" + RangeText(limits));
    return false;
  }
  return true;
}

void ObjectReader::Read(const Json& json, const Place& place,
                        const FieldRange& limits, double& value) {
  if (!json.is_number()) {
    Wrong(place, Shown(json), "a number" + RangeText(limits));
    return;
  }
  if (InRange(json, place, limits)) {
    value = json.get<double>();
  }
}

bool ObjectReader::ReadInteger(const Json& json, const Place& place,
                               const FieldRange& limits, int64_t& value) {
  if (!json.is_number() ||
      json.get<double>() != std::floor(json.get<double>())) {
    Wrong(place, Shown(json), "an integer" + RangeText(limits));
    return false;
  }
  if (std::abs(json.get<double>()) > kMaxExactInteger) {
    Wrong(place, Shown(json),
          "an integer of at most 2^53 (9007199254740992); beyond it numbers "
          "in JSON lose digits");
    return false;
  }
  if (!InRange(json, place, limits)) {
    return false;
  }
  value = static_cast<int64_t>(json.get<double>());
  return true;
}

void ObjectReader::Read(const Json& json, const Place& place,
                        const FieldRange& limits, std::string& value) {
  if (!IsText(json, place)) {
    return;
  }
  const auto& text = json.get_ref<const std::string&>();
  const auto& words = limits.one_of;
  if (!words.empty() &&
      std::find(words.begin(), words.end(), text) == words.end()) {
    Wrong(place, Shown(json), WordsText(words) + DidYouMean(text, words));
    return;
  }
  value = text;
}

void ObjectReader::Read(const Json& json, const Place& place,
                        const FieldRange& limits,
                        std::vector<std::string>& value) {
  if (!json.is_array()) {
    Wrong(place, Shown(json), "a list of strings");
    return;
  }
  std::vector<std::string> texts;
  texts.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    std::string text;
    Read(json[i], Place(place, "", i, ""), limits, text);
    texts.push_back(std::move(text));
  }
  value = std::move(texts);
}

}  // namespace zs
