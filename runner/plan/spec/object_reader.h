// Reads the objects of an experiment file into structs, strictly: every
// unknown, missing, mistyped or out-of-range field becomes a fault with its
// place. The fields of a struct are listed once, in VisitFields(visitor,
// struct) (engine/api/run_config_fields.h, experiment_fields.h).
#ifndef RUNNER_PLAN_SPEC_OBJECT_READER_H_
#define RUNNER_PLAN_SPEC_OBJECT_READER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json.h"
#include "engine/api/fields.h"
#include "runner/plan/spec/fault.h"

namespace zs {

// A visitor that reads one object. Refers to all its arguments. Fields that
// are absent or wrong leave their target unchanged.
class ObjectReader {
 public:
  ObjectReader(const Json& object, const Place& place,
               std::vector<Fault>& faults);

  template <typename T>
  void Field(std::string_view name, T& value, const FieldRange& limits) {
    if (const Json* found = Find(name, limits.required)) {
      Read(*found, Place(place_, name), limits, value);
    }
  }

  // A nested object; returns whether it is there.
  template <typename T>
  bool Struct(std::string_view name, T& value) {
    const Json* found = Find(name, false);
    if (found == nullptr) {
      return false;
    }
    const Place place(place_, name);
    ObjectReader inner(*found, place, faults_);
    VisitFields(inner, value);
    inner.Finish();
    return true;
  }

  // A nested object that not every backend has.
  template <typename T>
  void Section(std::string_view name, std::optional<T>& value) {
    T read;
    if (Struct(name, read)) {
      value = std::move(read);
    }
  }

  // A field that others read.
  void Ignore(std::string_view name) { Find(name, false); }

  // Names of experiments; see IsName.
  void Name(std::string_view name, std::string& value, bool required);
  void Names(std::string_view name, std::vector<std::string>& value);
  // A host pattern or a list of them, expanded, each host once.
  void Hosts(std::string_view name, std::vector<std::string>& value);
  // The words of a command; the first one does not begin with '-'.
  void Argv(std::string_view name, std::vector<std::string>& value);
  // Environment variables: an object of strings.
  void Environment(std::string_view name,
                   std::map<std::string, std::string>& value);

  // Reports the fields that nothing asked for, with the nearest known name.
  void Finish();

 private:
  const Json* Find(std::string_view name, bool required);
  void Wrong(const Place& place, std::string_view found,
             std::string_view allowed);
  // The elements of a list of strings; null (and a fault) for anything else.
  const Json* List(std::string_view name);
  // False (and a fault) where JSON is no string without control characters.
  bool IsText(const Json& json, const Place& place);
  void ReadVariable(const std::string& name, const Json& json,
                    const Place& place,
                    std::map<std::string, std::string>& value);
  void AddHosts(const Json& json, const Place& place,
                std::vector<std::string>& hosts);

  void Read(const Json& json, const Place& place, const FieldRange& limits,
            bool& value);
  void Read(const Json& json, const Place& place, const FieldRange& limits,
            double& value);
  void Read(const Json& json, const Place& place, const FieldRange& limits,
            std::string& value);
  void Read(const Json& json, const Place& place, const FieldRange& limits,
            std::vector<std::string>& value);
  bool ReadInteger(const Json& json, const Place& place,
                   const FieldRange& limits, int64_t& value);
  bool InRange(const Json& json, const Place& place, const FieldRange& limits);

  template <typename T>
  requires std::is_integral_v<T>
  void Read(const Json& json, const Place& place, const FieldRange& limits,
            T& value) {
    int64_t wide = 0;
    if (ReadInteger(json, place, limits, wide)) {
      value = static_cast<T>(wide);
    }
  }

  template <typename T>
  void Read(const Json& json, const Place& place, const FieldRange& limits,
            std::optional<T>& value) {
    const size_t before = faults_.size();
    T read{};
    Read(json, place, limits, read);
    if (faults_.size() == before) {
      value = read;
    }
  }

  const Json& object_;
  const Place& place_;
  std::vector<Fault>& faults_;
  std::vector<std::string_view> known_;
  size_t found_ = 0;  // how many of known_ are there
};

// Whether TEXT may stand in an argument, a value or a path: no control
// character other than line feed and tab, and at most 131,071 bytes (what
// Linux takes as one argument).
bool IsPlainText(std::string_view text);

}  // namespace zs

#endif  // RUNNER_PLAN_SPEC_OBJECT_READER_H_
