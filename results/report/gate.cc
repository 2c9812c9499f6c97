#include "results/report/gate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "base/strings.h"
#include "results/report/text.h"
#include "results/stats/distributions.h"

namespace zs::results {
namespace {

// The finite number that TEXT is.
Result<double> NumberOf(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(value)) {
    return InvalidArgumentError("'" + std::string(text) + "' is no number");
  }
  return value;
}

std::string RatioText(const SpeedRatio& ratio) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%.3f [%.3f, %.3f]", *ratio.value,
                *ratio.lo, *ratio.hi);
  return text.data();
}

std::string Number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

bool IsKnown(const SpeedRatio& ratio) {
  return ratio.value && ratio.lo && ratio.hi;
}

std::string_view Name(GateState state) {
  switch (state) {
    case GateState::kHolds:
      return "holds";
    case GateState::kFails:
      return "FAILS";
    case GateState::kUndecided:
      return "UNDECIDED, the interval does not agree: more repeats would tell";
    case GateState::kUnknown:
      return "UNKNOWN";
  }
  return "";
}

GateResult ResultOf(GateState state, const ComparedExperiment& e,
                    const std::string& wanted) {
  const std::string found =
      !IsKnown(e.ratio) ? "no ratio (" + e.ratio.why + ")"
      : e.ratio.doubted ? RatioText(e.ratio) + " (" + e.ratio.why + ")"
      : e.passed        ? RatioText(e.ratio)
                        : RatioText(e.ratio) + " (" + e.faults.front() + ")";
  return {state, e.name, wanted,
          e.name + " against " + e.baseline + ": " + found + ", " + wanted +
              ": " + std::string(Name(state))};
}

GateState StateAt(const SpeedRatio& ratio, double gate) {
  if (!IsKnown(ratio)) {
    return GateState::kUnknown;
  }
  if (*ratio.value >= 1 - gate) {
    return GateState::kHolds;
  }
  return *ratio.hi < 1 ? GateState::kFails : GateState::kUndecided;
}

// What may be chance, or what other programs did, neither holds nor fails; and
// runs that failed cannot hold.
GateState Doubted(GateState state, const ComparedExperiment& e) {
  if (state != GateState::kUnknown && e.ratio.doubted) {
    return GateState::kUndecided;
  }
  return state == GateState::kHolds && !e.passed ? GateState::kUnknown : state;
}

GateState StateAt(const SpeedRatio& ratio, const FailIf& condition) {
  if (!IsKnown(ratio)) {
    return GateState::kUnknown;
  }
  const double sign = condition.below ? 1 : -1;
  const double near =
      condition.below ? *ratio.hi : *ratio.lo;  // the end that is nearer
  if (sign * (*ratio.value - condition.bound) >= 0) {
    return GateState::kHolds;
  }
  return sign * (near - condition.bound) < 0 ? GateState::kFails
                                             : GateState::kUndecided;
}

}  // namespace

Result<FailIf> ParseFailIf(std::string_view text) {
  const size_t at = text.find_first_of("<>");
  const std::string what =
      "--fail-if: '" + std::string(text) +
      "' is not allowed; allowed: NAME < NUMBER or NAME > NUMBER, such as "
      "'z1 < 0.95'";
  if (at == std::string_view::npos) {
    return InvalidArgumentError(what);
  }
  FailIf condition;
  condition.experiment = Trimmed(text.substr(0, at));
  condition.below = text[at] == '<';
  const auto bound = NumberOf(Trimmed(text.substr(at + 1)));
  if (condition.experiment.empty() || !bound.ok() || *bound <= 0) {
    return InvalidArgumentError(what);
  }
  condition.bound = *bound;
  return condition;
}

Result<double> ParseGate(std::string_view text) {
  std::string_view digits = Trimmed(text);
  double scale = 1;
  if (!digits.empty() && digits.back() == '%') {
    digits = Trimmed(digits.substr(0, digits.size() - 1));
    scale = 0.01;
  }
  const auto value = NumberOf(digits);
  if (!value.ok() || *value * scale <= 0 || *value * scale >= 1) {
    return InvalidArgumentError("--gate: '" + std::string(text) +
                                "' is not allowed; allowed: a share between 0 "
                                "and 100%, such as 3%");
  }
  return *value * scale;
}

std::vector<GateResult> JudgeGate(const Comparison& comparison, double gate) {
  std::vector<GateResult> results;
  for (const ComparedExperiment& e : comparison.experiments) {
    if (gate > 0 && e.name != e.baseline) {
      results.push_back(ResultOf(Doubted(StateAt(e.ratio, gate), e), e,
                                 "at least " + Number(1 - gate) + " wanted"));
    }
  }
  return results;
}

Result<GateResult> JudgeFailIf(const Comparison& comparison,
                               const FailIf& condition) {
  for (const ComparedExperiment& e : comparison.experiments) {
    if (e.name == condition.experiment && e.name != e.baseline) {
      return ResultOf(Doubted(StateAt(e.ratio, condition), e), e,
                      std::string("fails ") +
                          (condition.below ? "below " : "above ") +
                          Number(condition.bound));
    }
  }
  return NotFoundError("--fail-if: '" + condition.experiment +
                       "' is not compared with a baseline here");
}

Table GateTable(const std::vector<GateResult>& results) {
  Table table;
  table.columns = {{"gate", "gate", false}, {"result", "result", false}};
  for (const GateResult& result : results) {
    table.rows.push_back({TextCell(result.name), TextCell(result.text)});
  }
  return table;
}

std::string GatesXml(const std::vector<GateResult>& results) {
  std::string cases;
  int failures = 0;
  int errors = 0;
  for (const GateResult& result : results) {
    const bool fails = result.state == GateState::kFails;
    const bool unknown = result.state == GateState::kUnknown;
    failures += fails ? 1 : 0;
    errors += unknown ? 1 : 0;
    cases += "    <testcase classname=\"gates\" name=\"" +
             XmlAttribute(result.name + ": " + result.wanted) + "\"";
    if (!fails && !unknown) {
      cases += "/>\n";
      continue;
    }
    const std::string element = fails ? "failure" : "error";
    cases += ">\n      <" + element + " message=\"" +
             XmlAttribute(result.text) + "\"/>\n    </testcase>\n";
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
         "  <testsuite name=\"gates\" tests=\"" +
         std::to_string(results.size()) + "\" failures=\"" +
         std::to_string(failures) + "\" errors=\"" + std::to_string(errors) +
         "\">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

double SmallestVisible(double deviation, int floor_runs,
                       std::pair<int, int> runs) {
  const double t = -StudentQuantile(
      0.025, std::max(1.0, static_cast<double>(floor_runs - 1)));
  return t * deviation *
         std::sqrt(1.0 / std::max(1, runs.first) +
                   1.0 / std::max(1, runs.second));
}

}  // namespace zs::results
