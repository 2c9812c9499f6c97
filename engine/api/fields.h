// Struct to JSON and back: a struct's fields are listed once, in a function
// VisitFields(visitor, struct), and two visitors, one writing and one reading,
// do the rest.
#ifndef ENGINE_API_FIELDS_H_
#define ENGINE_API_FIELDS_H_

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json.h"

namespace zs {

// What a field may hold beyond its type.
struct FieldRange {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::vector<std::string_view> one_of;  // for strings; empty: anything
  bool required = false;                 // no default
  bool non_finite = false;  // a double may be the string "nan", "inf", "-inf"
};

// The largest integer that JSON numbers carry exactly: 2^53.
inline constexpr double kMaxExactInteger = 9007199254740992.0;

// VALUE, or "nan", "inf", "-inf", for which JSON has no numbers.
Json NumberJson(double value);

// Writes each field it visits into an object.
class FieldWriter {
 public:
  template <typename T>
  void Field(std::string_view name, const T& value, const FieldRange&) {
    if constexpr (std::is_same_v<T, double>) {
      object_[std::string(name)] = NumberJson(value);
    } else {
      object_[std::string(name)] = value;
    }
  }

  template <typename T>
  void Struct(std::string_view name, T& value) {
    FieldWriter inner;
    VisitFields(inner, value);
    object_[std::string(name)] = inner.Take();
  }

  Json Take() { return std::move(object_); }

 private:
  Json object_ = Json::object();
};

// Reads each field it visits from an object and collects what is wrong, each
// fault beginning with the field's path.
class FieldReader {
 public:
  // PATH is that of the object itself, empty for the document. Both must
  // outlive the reader.
  FieldReader(const Json& object, std::string path,
              std::vector<std::string>& faults);

  template <typename T>
  void Field(std::string_view name, T& value, const FieldRange& limits) {
    if (const Json* found = Find(name, limits)) {
      Read(*found, PathOf(name), limits, value);
    }
  }

  template <typename T>
  void Struct(std::string_view name, T& value) {
    static const Json kEmpty = Json::object();
    const Json* found = Find(name, FieldRange{});
    FieldReader inner(found == nullptr ? kEmpty : *found, PathOf(name),
                      faults_);
    VisitFields(inner, value);
    inner.Finish();
  }

  // Reports the keys that no Field or Struct asked for.
  void Finish();

 private:
  const Json* Find(std::string_view name, const FieldRange& limits);
  std::string PathOf(std::string_view name) const;
  void Fault(const std::string& path, const std::string& found,
             const std::string& allowed);

  void Read(const Json& json, const std::string& path, const FieldRange& limits,
            bool& value);
  void Read(const Json& json, const std::string& path, const FieldRange& limits,
            double& value);
  void Read(const Json& json, const std::string& path, const FieldRange& limits,
            std::string& value);
  void Read(const Json& json, const std::string& path, const FieldRange& limits,
            std::vector<std::string>& value);

  template <typename T>
  requires std::is_integral_v<T>
  void Read(const Json& json, const std::string& path, const FieldRange& limits,
            T& value) {
    int64_t wide = 0;
    if (ReadInteger(json, path, limits, wide)) {
      value = static_cast<T>(wide);
    }
  }
  bool ReadInteger(const Json& json, const std::string& path,
                   const FieldRange& limits, int64_t& value);
  bool InRange(double number, const Json& json, const std::string& path,
               const FieldRange& limits);

  const Json& object_;
  std::string path_;
  std::vector<std::string>& faults_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace zs

#endif  // ENGINE_API_FIELDS_H_
