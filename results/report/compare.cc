#include "results/report/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/json.h"
#include "results/report/json_difference.h"
#include "results/report/measured_side.h"
#include "results/report/names.h"
#include "results/report/speed_ratio.h"
#include "results/report/verdict_text.h"

namespace zs::results {
namespace {

constexpr size_t kMostNotes = 12;
constexpr size_t kLongestValue = 60;

// Which experiments, and whom each is compared with.
struct Pairing {
  std::map<std::string, ExperimentRow> rows;  // by name
  std::vector<std::string> order;             // baselines first
  std::map<std::string, std::string> baseline_of;
};

// The patterns against the experiments of the sweeps called SWEEP.
Result<Pairing> PairWithin(const Reader& reader, const std::string& sweep,
                           const std::vector<std::string>& patterns,
                           const std::string& baseline_pattern) {
  Pairing pairing;
  std::vector<std::string> candidates;
  ASSIGN_OR_RETURN(const auto rows, reader.NewestExperiments(sweep));
  for (const ExperimentRow& row : rows) {
    candidates.push_back(row.experiment.name);
    pairing.rows.emplace(row.experiment.name, row);
  }
  ASSIGN_OR_RETURN(const Selection baselines,
                   SelectNames(baseline_pattern, candidates));
  std::vector<std::string> others;
  for (const std::string& name : baselines.names) {
    pairing.baseline_of[name] = name;
  }
  for (const std::string& pattern : patterns) {
    ASSIGN_OR_RETURN(const Selection chosen, SelectNames(pattern, candidates));
    for (size_t i = 0; i < chosen.names.size(); ++i) {
      const auto like = std::find(baselines.suffixes.begin(),
                                  baselines.suffixes.end(), chosen.suffixes[i]);
      const size_t index =
          like == baselines.suffixes.end()
              ? 0
              : static_cast<size_t>(like - baselines.suffixes.begin());
      if (pairing.baseline_of.emplace(chosen.names[i], baselines.names[index])
              .second) {
        others.push_back(chosen.names[i]);
      }
    }
  }
  for (const std::string& baseline : baselines.names) {
    pairing.order.push_back(baseline);
    for (const std::string& name : others) {
      if (pairing.baseline_of[name] == baseline) {
        pairing.order.push_back(name);
      }
    }
  }
  return pairing;
}

// The newest sweep that has all names; failing that, all sweeps together.
Result<Pairing> Pair(const Reader& reader,
                     const std::vector<std::string>& patterns,
                     const CompareOptions& options) {
  if (patterns.empty()) {
    return InvalidArgumentError(
        "nothing to compare; name experiments, for example --compare z0,z1");
  }
  const std::string baseline =
      options.baseline.empty() ? patterns.front() : options.baseline;
  if (!options.sweep.empty()) {
    return PairWithin(reader, options.sweep, patterns, baseline);
  }
  ASSIGN_OR_RETURN(std::vector<SweepRow> sweeps, reader.Sweeps());
  std::reverse(sweeps.begin(), sweeps.end());
  std::set<std::string> seen;
  for (const SweepRow& sweep : sweeps) {
    if (seen.insert(sweep.start.name).second) {
      Result<Pairing> pairing =
          PairWithin(reader, sweep.start.name, patterns, baseline);
      if (pairing.ok() || pairing.status().code() != StatusCode::kNotFound) {
        return pairing;
      }
    }
  }
  return PairWithin(reader, "", patterns, baseline);
}

// Whether every loss is bitwise the same; unknown where a side has none.
std::optional<bool> LossesEqual(const MeasuredSide& a, const MeasuredSide& b) {
  // Both are in the order of steps.
  size_t compared = 0;
  auto left = a.losses.begin();
  for (const StepLoss& right : b.losses) {
    while (left != a.losses.end() && left->step < right.step) {
      ++left;
    }
    if (left == a.losses.end()) {
      break;
    }
    if (left->step != right.step) {
      continue;
    }
    if (std::isnan(right.loss) || std::bit_cast<uint64_t>(left->loss) !=
                                      std::bit_cast<uint64_t>(right.loss)) {
      return false;
    }
    ++compared;
  }
  return compared == 0 ? std::nullopt : std::optional<bool>(true);
}

std::string Shortened(const std::string& text) {
  return text.size() <= kLongestValue ? text
                                      : text.substr(0, kLongestValue) + "...";
}

// Whether a difference makes the ratio one of something else. Where the ranks
// run and with how many threads is a difference of conditions; what they
// compute is one of the question.
bool IsUnfair(const std::string& path) {
  static constexpr std::string_view kQuestion[] = {
      "asked.model",   "asked.data",       "asked.train.",
      "asked.backend", "in_effect.device", "in_effect.parameters"};
  return std::any_of(
      std::begin(kQuestion), std::end(kQuestion),
      [&](std::string_view prefix) { return path.starts_with(prefix); });
}

// What differs beyond the ZeRO stage.
void AddDifferences(const MeasuredSide& baseline, const MeasuredSide& side,
                    Comparison& comparison) {
  const Result<Json> left = ParseJson(baseline.conditions_json);
  const Result<Json> right = ParseJson(side.conditions_json);
  if (!left.ok() || !right.ok() || side.summary.run_id == 0 ||
      baseline.summary.run_id == 0) {
    return;
  }
  size_t count = 0;
  for (const JsonDifference& d : DifferencesOf(*left, *right)) {
    comparison.differences.push_back(
        {side.summary.name, d.path, d.left, d.right, IsUnfair(d.path)});
    if (++count <= kMostNotes) {
      comparison.notes.push_back(d.path + " differs: " + baseline.summary.name +
                                 " " + Shortened(d.left) + ", " +
                                 side.summary.name + " " + Shortened(d.right));
    }
  }
  if (count > kMostNotes) {
    comparison.notes.push_back("and " + std::to_string(count - kMostNotes) +
                               " more differences between " +
                               baseline.summary.name + " and " +
                               side.summary.name);
  }
}

// Whether every side has a measurement, and every pair a ratio.
bool IsMeasured(const std::vector<ComparedExperiment>& experiments) {
  return std::all_of(
      experiments.begin(), experiments.end(), [](const ComparedExperiment& e) {
        return e.missing.empty() && (e.name == e.baseline || e.ratio.value);
      });
}

}  // namespace

Result<Comparison> Compare(const Reader& reader,
                           const std::vector<std::string>& names,
                           const CompareOptions& options) {
  ASSIGN_OR_RETURN(const Snapshot snapshot, reader.TakeSnapshot());
  ASSIGN_OR_RETURN(const Pairing pairing, Pair(reader, names, options));
  std::map<std::string, MeasuredSide> sides;
  for (const std::string& name : pairing.order) {
    ASSIGN_OR_RETURN(sides[name],
                     Measure(reader, pairing.rows.at(name), options.window));
  }
  Comparison comparison;
  comparison.baseline = pairing.order.front();
  for (const std::string& name : pairing.order) {
    MeasuredSide& side = sides[name];
    side.summary.baseline = pairing.baseline_of.at(name);
    if (name != side.summary.baseline) {
      const MeasuredSide& baseline = sides[side.summary.baseline];
      SetRatio(baseline, options.margin, options.seed, side);
      side.summary.loss_equal = LossesEqual(baseline, side);
      AddDifferences(baseline, side, comparison);
    }
    for (const std::string& observation : side.summary.observations) {
      comparison.notes.push_back(name + ": " + observation);
    }
    comparison.experiments.push_back(side.summary);
  }
  CorrectForMany(comparison.experiments);
  comparison.measured = IsMeasured(comparison.experiments);
  comparison.verdict = VerdictText(comparison);
  return comparison;
}

}  // namespace zs::results
