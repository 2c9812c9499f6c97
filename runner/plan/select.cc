#include "runner/plan/select.h"

#include <set>

#include "runner/plan/spec/fault.h"

namespace zs {
namespace {

// Glob match with '*' and '?', linear but for restarts at the last star.
bool Matches(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') {
    ++p;
  }
  return p == pattern.size();
}

Status NoMatch(std::string_view pattern,
               const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  return InvalidArgumentError("no experiment is named " + Shown(pattern) +
                              DidYouMean(pattern, views));
}

Status Ambiguous(std::string_view pattern,
                 const std::vector<std::string>& names,
                 const std::vector<size_t>& found) {
  std::string list;
  for (size_t i = 0; i < found.size() && i < 10; ++i) {
    list += (i == 0 ? "" : ", ") + names[found[i]];
  }
  return InvalidArgumentError(
      Shown(pattern) + " may be " + list + (found.size() > 10 ? ", ..." : "") +
      "; give the whole name, or " + std::string(pattern) + "* for all");
}

}  // namespace

Result<std::vector<size_t>> MatchNames(std::string_view pattern,
                                       const std::vector<std::string>& names) {
  const bool is_glob = pattern.find_first_of("*?") != std::string_view::npos;
  std::vector<size_t> found;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i];
    if (name == pattern) {
      return std::vector<size_t>{i};
    }
    if (is_glob ? Matches(pattern, name)
                : name.substr(0, pattern.size()) == pattern) {
      found.push_back(i);
    }
  }
  if (found.empty() || pattern.empty()) {
    return NoMatch(pattern, names);
  }
  if (!is_glob && found.size() > 1) {
    return Ambiguous(pattern, names, found);
  }
  return found;
}

Result<std::vector<size_t>> MatchAll(const std::vector<std::string>& patterns,
                                     const std::vector<std::string>& names) {
  std::set<size_t> all;
  for (const std::string& pattern : patterns) {
    ASSIGN_OR_RETURN(const auto found, MatchNames(pattern, names));
    all.insert(found.begin(), found.end());
  }
  return std::vector<size_t>(all.begin(), all.end());
}

}  // namespace zs
