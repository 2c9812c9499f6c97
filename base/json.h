// JSON documents: nlohmann::json with its exceptions caught here. Objects keep
// their keys sorted, so that the same value always gives the same text.
#ifndef BASE_JSON_H_
#define BASE_JSON_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "nlohmann/json.hpp"

namespace zs {

using Json = nlohmann::json;

// The value that TEXT holds. kInvalidArgument names line and column of a
// syntax error; nesting beyond 512 levels is one too. Bytes that are not UTF-8
// are refused. Duplicate keys are an error.
Result<Json> ParseJson(std::string_view text);

// One line, no spaces. Strings that are not UTF-8 have the bad bytes replaced
// by U+FFFD; never throws.
std::string DumpJson(const Json& value);

// Several lines with two spaces of indentation, otherwise as DumpJson.
std::string DumpJsonPretty(const Json& value);

}  // namespace zs

#endif  // BASE_JSON_H_
