#include <algorithm>
#include <tuple>

#include "runner/observe/diagnose/rules.h"

namespace zs {
namespace {

// Whether A comes before B, by time where both have one.
bool Earlier(const Finding& a, const Finding& b) {
  if (a.time_s.has_value() && b.time_s.has_value() && a.time_s != b.time_s) {
    return *a.time_s < *b.time_s;
  }
  return a.sequence < b.sequence;
}

bool BetterRoot(const Finding& a, const Finding& b) {
  if (a.order != b.order) {
    return a.order < b.order;
  }
  if (a.order == CauseOrder::kSpecific && a.code != b.code &&
      a.confidence != b.confidence) {
    return a.confidence > b.confidence;
  }
  return Earlier(a, b);
}

}  // namespace

std::optional<size_t> RankFindings(Findings& findings) {
  const Finding* root = nullptr;
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::kError &&
        (root == nullptr || BetterRoot(finding, *root))) {
      root = &finding;
    }
  }
  const std::string code = root != nullptr ? root->code : "";
  const int64_t sequence = root != nullptr ? root->sequence : 0;
  for (Finding& finding : findings) {
    if (finding.severity == Severity::kError) {
      finding.secondary = finding.code != code;
    }
  }
  std::stable_sort(
      findings.begin(), findings.end(),
      [&](const Finding& a, const Finding& b) {
        const auto key = [&](const Finding& finding) {
          const bool is_root = finding.code == code &&
                               finding.sequence == sequence &&
                               finding.severity == Severity::kError;
          return std::make_tuple(!is_root, -static_cast<int>(finding.severity),
                                 finding.secondary);
        };
        const auto left = key(a);
        const auto right = key(b);
        return left != right ? left < right : Earlier(a, b);
      });
  return root == nullptr ? std::nullopt : std::optional<size_t>(0);
}

}  // namespace zs
