#include "runner/sweep/spend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "results/report/compare.h"
#include "results/stats/bootstrap.h"
#include "results/stats/summary.h"

namespace zs {
namespace {

constexpr double kSameLevel = 0.01;

template <typename... Values>
std::string Print(const char* format, Values... values) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

}  // namespace

bool IsOpen(const results::SpeedRatio& ratio, double rel_ci) {
  return ratio.lo && ratio.hi && ratio.word == "UNDECIDED" &&
         std::log(*ratio.hi / *ratio.lo) / 2 > rel_ci;
}

Result<std::vector<size_t>> OpenMembers(const results::Reader& reader,
                                        const Sweep& sweep,
                                        const std::vector<size_t>& members) {
  std::vector<std::string> names;
  for (const size_t i : members) {
    names.push_back(sweep.experiments[i].name);
  }
  ASSIGN_OR_RETURN(const results::Comparison comparison,
                   results::Compare(reader, names, {.sweep = sweep.name}));
  std::vector<size_t> open;
  for (const size_t i : members) {
    const Experiment& experiment = sweep.experiments[i];
    for (const results::ComparedExperiment& e : comparison.experiments) {
      if (e.name == experiment.name && e.name != e.baseline &&
          IsOpen(e.ratio, experiment.until.rel_ci)) {
        open.push_back(i);
      }
    }
  }
  if (!open.empty()) {
    open.insert(open.begin(), members.front());
  }
  return open;
}

std::string DriftText(const std::string& name,
                      const std::vector<std::vector<double>>& runs) {
  if (runs.size() < 2) {
    return "";
  }
  const auto interval = results::MedianRatio(std::span(runs).last(1),
                                             std::span(runs).first(1), {});
  if (!interval || std::abs(interval->value - 1) <= kSameLevel ||
      (interval->lo <= 1 && interval->hi >= 1)) {
    return "";
  }
  std::string levels;
  for (const std::vector<double>& run : runs) {
    levels += (levels.empty() ? "" : ", ") +
              Print("%.2f", results::Median(run).value_or(0));
  }
  return "sentinel " + name + ": the machine drifts, step times (ms) " +
         levels + " in order" +
         Print(": %+.1f%% from the first to the last",
               100 * (interval->value - 1));
}

results::FindingRow DriftFinding(const std::string& text, int64_t at_unix_ms) {
  results::FindingRow finding;
  finding.code = "sentinel_drift";
  finding.severity = results::Severity::kWarning;
  finding.message = text;
  finding.hint =
      "runs between may owe part of their difference to it; look at clocks, "
      "temperatures and other users, and repeat";
  finding.at_unix_ms = at_unix_ms;
  return finding;
}

}  // namespace zs
