#include "base/json.h"

#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace zs {
namespace {

constexpr int kMaxDepth = 512;

// Sees each event of the parser: refuses deep nesting and repeated keys, which
// nlohmann::json itself lets pass.
class Guard {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
        keys_.emplace_back();
        [[fallthrough]];
      case Json::parse_event_t::array_start:
        too_deep_ |= depth > kMaxDepth;
        break;
      case Json::parse_event_t::object_end:
        keys_.pop_back();
        break;
      case Json::parse_event_t::key: {
        const auto& key = parsed.get_ref<const std::string&>();
        if (!keys_.back().insert(key).second && duplicate_.empty()) {
          duplicate_ = key;
        }
        break;
      }
      default:
        break;
    }
    return !too_deep_;
  }

  Status status() const {
    if (too_deep_) {
      return InvalidArgumentError("nested deeper than 512 levels");
    }
    if (!duplicate_.empty()) {
      return InvalidArgumentError("key \"" + duplicate_ + "\" stands twice");
    }
    return OkStatus();
  }

 private:
  std::vector<std::set<std::string>> keys_;
  std::string duplicate_;
  bool too_deep_ = false;
};

}  // namespace

Result<Json> ParseJson(std::string_view text) {
  Guard guard;
  try {
    Json value = Json::parse(text, std::ref(guard));
    RETURN_IF_ERROR(guard.status());
    return value;
  } catch (const Json::exception& e) {
    return InvalidArgumentError(e.what());
  }
}

std::string DumpJson(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string DumpJsonPretty(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace zs
