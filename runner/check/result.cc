#include "runner/check/result.h"

#include <algorithm>
#include <map>
#include <utility>

namespace zs {

std::string_view CheckStateName(CheckState state) {
  switch (state) {
    case CheckState::kOk:
      return "ok";
    case CheckState::kFailed:
      return "failed";
    case CheckState::kUnknown:
      return "unknown";
    case CheckState::kWarning:
      return "warning";
  }
  return "";
}

bool IsGood(const CheckResult& result) {
  return result.state == CheckState::kOk ||
         result.state == CheckState::kWarning;
}

bool AllOk(const std::vector<CheckResult>& results) {
  return std::all_of(results.begin(), results.end(), IsGood);
}

void CompareOverNodes(std::vector<CheckResult>& results) {
  // Check and subject, to each value with how often it is there and in which
  // place it came first.
  struct Vote {
    int count = 0;
    size_t first = 0;
  };
  std::map<std::pair<std::string, std::string>, std::map<std::string, Vote>>
      subjects;
  for (size_t i = 0; i < results.size(); ++i) {
    const CheckResult& result = results[i];
    if (!result.subject.empty() && result.state == CheckState::kOk) {
      Vote& vote = subjects[{result.name, result.subject}][result.value];
      vote.first = vote.count++ == 0 ? i : vote.first;
    }
  }
  for (CheckResult& result : results) {
    const auto votes = subjects.find({result.name, result.subject});
    if (votes == subjects.end() || result.state != CheckState::kOk) {
      continue;
    }
    const auto most = std::max_element(
        votes->second.begin(), votes->second.end(),
        [](const auto& a, const auto& b) {
          return std::pair(a.second.count, -static_cast<long>(a.second.first)) <
                 std::pair(b.second.count, -static_cast<long>(b.second.first));
        });
    if (result.value != most->first) {
      result.state = CheckState::kFailed;
      result.limit = "equal on all nodes; most (or the first) have " +
                     (most->first.empty() ? "none" : most->first);
    }
  }
}

}  // namespace zs
