#include "results/report/compare.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "results/report/fairness.h"
#include "results/report/loss_check.h"
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
      options.baseline.empty() || options.baseline == kPromoted
          ? patterns.front()
          : options.baseline;
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

std::string Shortened(const std::string& text) {
  return text.size() <= kLongestValue ? text
                                      : text.substr(0, kLongestValue) + "...";
}

// Adds DIFFERENCES of SIDE to COMPARISON, the unfair ones said first.
void AddDifferences(const MeasuredSide& baseline, const MeasuredSide& side,
                    std::vector<Difference> differences,
                    Comparison& comparison) {
  std::stable_partition(differences.begin(), differences.end(),
                        [](const Difference& d) { return d.unfair; });
  size_t count = 0;
  for (const Difference& d : differences) {
    if (++count <= kMostNotes) {
      comparison.notes.push_back(
          d.path + " differs" + (d.unfair ? " (unfair)" : "") + ": " +
          baseline.summary.name + " " + Shortened(d.baseline) + ", " +
          side.summary.name + " " + Shortened(d.value));
    }
  }
  if (count > kMostNotes) {
    comparison.notes.push_back("and " + std::to_string(count - kMostNotes) +
                               " more differences between " +
                               baseline.summary.name + " and " +
                               side.summary.name);
  }
  comparison.differences.insert(comparison.differences.end(),
                                differences.begin(), differences.end());
}

// Why the speeds of two sides that have runs are not to be compared; empty
// where they are.
std::string WhyRefused(const std::vector<Difference>& differences,
                       const LossCheck& losses) {
  std::string unfair;
  for (const Difference& d : differences) {
    if (d.unfair) {
      unfair += (unfair.empty() ? "" : ", ") + ShortPath(d.path);
    }
  }
  if (!unfair.empty()) {
    return "not compared, since " + unfair +
           " differs too (--even-so compares all the same)";
  }
  if (losses.equal.has_value() && !*losses.equal) {
    return "not compared, since " + LossText(losses) +
           " (--even-so compares all the same)";
  }
  return "";
}

// All that is said of one pair.
void ComparePair(const MeasuredSide& baseline, const CompareOptions& options,
                 MeasuredSide& side, Comparison& comparison) {
  ComparedExperiment& summary = side.summary;
  if (summary.world_size == baseline.summary.world_size) {
    summary.loss_check = CheckLosses(baseline, side);
    summary.loss_equal = summary.loss_check.equal;
  }
  std::vector<Difference> differences = ConditionDifferences(baseline, side);
  const std::string refused = WhyRefused(differences, summary.loss_check);
  SetRatio(baseline, options.margin, options.seed, side);
  if (!refused.empty() && summary.ratio.value) {
    comparison.even_so = comparison.even_so || options.even_so;
    if (!options.even_so) {
      summary.ratio = SpeedRatio();
      summary.ratio.why = refused;
    }
  }
  AddDifferences(baseline, side, std::move(differences), comparison);
}

// Whether every side has a measurement, and every pair a ratio.
bool IsMeasured(const std::vector<ComparedExperiment>& experiments) {
  return std::all_of(
      experiments.begin(), experiments.end(), [](const ComparedExperiment& e) {
        return e.missing.empty() && (e.name == e.baseline || e.ratio.value);
      });
}

// All sides by name, in the order that they are shown in.
struct Sides {
  std::map<std::string, MeasuredSide> by_name;
  std::vector<std::string> order;  // baselines first
};

Result<Sides> MeasureAll(const Reader& reader, const Pairing& pairing,
                         const CompareOptions& options) {
  Sides sides;
  for (const std::string& name : pairing.order) {
    ASSIGN_OR_RETURN(MeasuredSide side,
                     Measure(reader, pairing.rows.at(name), options.window));
    side.summary.baseline = pairing.baseline_of.at(name);
    sides.by_name[name] = std::move(side);
    sides.order.push_back(name);
  }
  return sides;
}

// Puts before each side the promoted run of its name, and makes that its
// baseline.
Status AddPromoted(const Reader& reader, const CompareOptions& options,
                   Sides& sides) {
  std::vector<std::string> order;
  for (const std::string& name : sides.order) {
    MeasuredSide& side = sides.by_name[name];
    ASSIGN_OR_RETURN(const auto baselines, reader.Baselines(name));
    if (baselines.empty()) {
      return NotFoundError("--baseline promoted: no run of '" + name +
                           "' was promoted; runner baseline promote RUN "
                           "--reason TEXT does it");
    }
    ASSIGN_OR_RETURN(
        MeasuredSide promoted,
        MeasureRun(reader, baselines.front().run_id, options.window));
    if (promoted.summary.run_ids == side.summary.run_ids) {
      side.summary.missing =
          "has no run since run " + std::to_string(baselines.front().run_id) +
          " was promoted; run it again with --only " + name + " --rerun";
    }
    promoted.summary.name += "@" + std::to_string(baselines.front().run_id);
    promoted.summary.baseline = promoted.summary.name;
    side.summary.baseline = promoted.summary.name;
    promoted.summary.observations.push_back("promoted by " +
                                            baselines.front().author + ": " +
                                            baselines.front().reason);
    order.push_back(promoted.summary.name);
    order.push_back(name);
    sides.by_name[promoted.summary.name] = std::move(promoted);
  }
  sides.order = std::move(order);
  return OkStatus();
}

// What the sweeps that the runs belong to say of the machine.
Status AddDoubts(const Reader& reader, const Sides& sides,
                 Comparison& comparison) {
  std::set<int64_t> sweeps;
  for (const auto& [name, side] : sides.by_name) {
    if (side.sweep_id != 0) {
      sweeps.insert(side.sweep_id);
    }
  }
  for (const int64_t sweep : sweeps) {
    ASSIGN_OR_RETURN(const auto findings, reader.SweepFindings(sweep));
    for (const FindingRow& finding : findings) {
      if (finding.code == "sentinel_drift") {
        comparison.doubts.push_back("DRIFT: " + finding.message + ".");
      }
    }
  }
  return OkStatus();
}

}  // namespace

Result<Comparison> Compare(const Reader& reader,
                           const std::vector<std::string>& names,
                           const CompareOptions& options) {
  ASSIGN_OR_RETURN(const Snapshot snapshot, reader.TakeSnapshot());
  ASSIGN_OR_RETURN(const Pairing pairing, Pair(reader, names, options));
  ASSIGN_OR_RETURN(Sides sides, MeasureAll(reader, pairing, options));
  if (options.baseline == kPromoted) {
    RETURN_IF_ERROR(AddPromoted(reader, options, sides));
  }
  Comparison comparison;
  comparison.baseline = sides.order.front();
  for (const std::string& name : sides.order) {
    MeasuredSide& side = sides.by_name[name];
    if (name != side.summary.baseline) {
      ComparePair(sides.by_name[side.summary.baseline], options, side,
                  comparison);
    }
    for (const std::string& observation : side.summary.observations) {
      comparison.notes.push_back(name + ": " + observation);
    }
    comparison.experiments.push_back(side.summary);
  }
  RETURN_IF_ERROR(AddDoubts(reader, sides, comparison));
  CorrectForMany(comparison.experiments);
  comparison.measured = IsMeasured(comparison.experiments);
  comparison.verdict = VerdictText(comparison);
  return comparison;
}

}  // namespace zs::results
