#include "results/report/names.h"

#include <fnmatch.h>

#include <algorithm>
#include <string_view>

namespace zs::results {
namespace {

constexpr size_t kMostListed = 20;

std::string ListOf(const std::vector<std::string>& names) {
  std::string list;
  for (size_t i = 0; i < names.size() && i < kMostListed; ++i) {
    list += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMostListed) {
    list += " and " + std::to_string(names.size() - kMostListed) + " more";
  }
  return list;
}

Result<Selection> SelectByGlob(const std::string& pattern,
                               const std::vector<std::string>& candidates) {
  Selection selection{pattern, {}, {}};
  for (const std::string& name : candidates) {
    if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) {
      selection.names.push_back(name);
      selection.suffixes.emplace_back();
    }
  }
  if (selection.names.empty()) {
    return NotFoundError("'" + pattern + "' matches no experiment; recorded: " +
                         ListOf(candidates));
  }
  return selection;
}

}  // namespace

Result<Selection> SelectNames(const std::string& pattern,
                              const std::vector<std::string>& candidates) {
  if (std::find(candidates.begin(), candidates.end(), pattern) !=
      candidates.end()) {
    return Selection{pattern, {pattern}, {""}};
  }
  if (pattern.find_first_of("*?[") != std::string::npos) {
    return SelectByGlob(pattern, candidates);
  }
  Selection at_separator{pattern, {}, {}};
  Selection anywhere{pattern, {}, {}};
  for (const std::string& name : candidates) {
    if (pattern.empty() || !name.starts_with(pattern)) {
      continue;
    }
    const std::string suffix = name.substr(pattern.size());
    const bool separated =
        std::string_view("_-./").find(suffix[0]) != std::string_view::npos;
    Selection& selection = separated ? at_separator : anywhere;
    selection.names.push_back(name);
    selection.suffixes.push_back(suffix);
  }
  if (!at_separator.names.empty()) {
    return at_separator;
  }
  if (anywhere.names.size() == 1) {
    return anywhere;
  }
  if (anywhere.names.size() > 1) {
    return InvalidArgumentError(
        "'" + pattern + "' is ambiguous: " + ListOf(anywhere.names) +
        "; give one of them, or '" + pattern + "*' for all");
  }
  return NotFoundError("no experiment is called '" + pattern +
                       "'; recorded: " + ListOf(candidates));
}

}  // namespace zs::results
