#include "runner/sweep/expectations.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/strings.h"

namespace zs {
namespace {

enum class Bound { kMin, kMax, kEqual };

// One field of `expect` and the figure it bounds.
struct Rule {
  std::string_view name;
  Bound bound;
  std::optional<double> (*limit)(const Expect&);
  std::optional<double> (*found)(const Measured&);
};

template <typename T>
std::optional<double> AsDouble(const std::optional<T>& value) {
  return value.has_value() ? std::optional(static_cast<double>(*value))
                           : std::nullopt;
}

constexpr Rule kRules[] = {
    {"world_size", Bound::kEqual,
     [](const Expect& e) { return AsDouble(e.world_size); },
     [](const Measured& m) { return AsDouble(m.world_size); }},
    {"max_step_cv", Bound::kMax, [](const Expect& e) { return e.max_step_cv; },
     [](const Measured& m) { return m.step_cv; }},
    {"min_tokens_per_s", Bound::kMin,
     [](const Expect& e) { return e.min_tokens_per_s; },
     [](const Measured& m) { return m.tokens_per_s; }},
    {"min_tokens_per_s_per_rank", Bound::kMin,
     [](const Expect& e) { return e.min_tokens_per_s_per_rank; },
     [](const Measured& m) { return m.tokens_per_s_per_rank; }},
    {"max_step_time_ms", Bound::kMax,
     [](const Expect& e) { return e.max_step_time_ms; },
     [](const Measured& m) { return m.step_ms_median; }},
    {"max_final_loss", Bound::kMax,
     [](const Expect& e) { return e.max_final_loss; },
     [](const Measured& m) { return m.final_loss; }},
    {"max_mem_peak_bytes", Bound::kMax,
     [](const Expect& e) { return AsDouble(e.max_mem_peak_bytes); },
     [](const Measured& m) { return AsDouble(m.mem_peak_bytes); }},
    {"min_busbw_gb_s", Bound::kMin,
     [](const Expect& e) { return e.min_busbw_gb_s; },
     [](const Measured& m) { return m.busbw_gb_s; }},
};

bool Holds(Bound bound, double found, double limit) {
  switch (bound) {
    case Bound::kMin:
      return found >= limit;
    case Bound::kMax:
      return found <= limit;
    case Bound::kEqual:
      return found == limit;
  }
  return false;
}

std::string_view Allowed(Bound bound) {
  switch (bound) {
    case Bound::kMin:
      return ", at least ";
    case Bound::kMax:
      return ", at most ";
    case Bound::kEqual:
      return ", expected ";
  }
  return "";
}

}  // namespace

ExpectationResult CheckExpectations(const Expect& expect,
                                    const Measured& measured) {
  ExpectationResult result;
  for (const Rule& rule : kRules) {
    const std::optional<double> limit = rule.limit(expect);
    if (!limit.has_value()) {
      continue;
    }
    const std::string name(rule.name);
    const std::optional<double> found = rule.found(measured);
    if (!found.has_value()) {
      result.unknown.push_back(name + ": not measured");
    } else if (!Holds(rule.bound, *found, *limit)) {
      result.broken.push_back(name + ": " + FormatNumber(*found) +
                              std::string(Allowed(rule.bound)) +
                              FormatNumber(*limit));
    }
  }
  return result;
}

bool WereAsked(const Expect& expect,
               const std::map<std::string, double>& asked) {
  return std::all_of(
      std::begin(kRules), std::end(kRules), [&](const Rule& rule) {
        const std::optional<double> limit = rule.limit(expect);
        const auto before = asked.find(std::string(rule.name));
        return !limit.has_value() ||
               (before != asked.end() && before->second == *limit);
      });
}

}  // namespace zs
