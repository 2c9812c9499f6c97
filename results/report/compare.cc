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
#include "results/report/text.h"
#include "results/report/verdict_text.h"

namespace zs::results {
namespace {

// Findings of a sweep that put its comparisons in doubt, and how the verdict
// begins to say so.
constexpr std::pair<std::string_view, const char*> kDoubts[] = {
    {"sentinel_drift", "DRIFT: "}, {"slow_node", "SLOW NODE: "}};
constexpr size_t kMostNotes = 12;
constexpr int kLongestValue = 60;  // columns

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
  return CutTo(Printable(text), kLongestValue);
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
  if (!losses.equal.value_or(false)) {
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

// The newest promotion of ROW's name within sweeps of ROW's name; where the
// person named no sweep and there is none, within any.
Result<BaselineRow> NewestPromotion(const Reader& reader,
                                    const CompareOptions& options,
                                    const ExperimentRow& row) {
  const std::string& name = row.experiment.name;
  ASSIGN_OR_RETURN(const auto baselines, reader.Baselines(name));
  ASSIGN_OR_RETURN(const SweepRow sweep, reader.Sweep(row.sweep_id));
  for (const BaselineRow& baseline : baselines) {
    ASSIGN_OR_RETURN(const RunRow run, reader.Run(baseline.run_id));
    if (run.sweep == sweep.start.name) {
      return baseline;
    }
  }
  if (!baselines.empty() && options.sweep.empty()) {
    return baselines.front();
  }
  return NotFoundError("--baseline promoted: no run of '" + name +
                       "' was promoted; runner baseline promote RUN --reason "
                       "TEXT does it");
}

// The promoted run of ROW's name as the side to measure it against.
Result<MeasuredSide> MeasurePromoted(const Reader& reader,
                                     const CompareOptions& options,
                                     const ExperimentRow& row) {
  ASSIGN_OR_RETURN(const BaselineRow newest,
                   NewestPromotion(reader, options, row));
  ASSIGN_OR_RETURN(MeasuredSide side,
                   MeasureRun(reader, newest.run_id, options.window));
  if (side.summary.run_ids.empty()) {
    side.summary.run_ids.push_back(newest.run_id);
  }
  side.summary.name += "@" + std::to_string(newest.run_id);
  side.summary.baseline = side.summary.name;
  side.summary.observations.push_back("promoted by " + newest.author + ": " +
                                      newest.reason);
  return side;
}

// Measures one side after the other; of those that nothing more is compared
// with only the summary is kept.
class Comparer {
 public:
  Comparer(const Reader& reader, const CompareOptions& options)
      : reader_(reader), options_(options) {}

  Status Add(const ExperimentRow& row, const std::string& baseline) {
    if (options_.baseline == kPromoted) {
      return AddSincePromoted(row);
    }
    ASSIGN_OR_RETURN(MeasuredSide side, Measure(reader_, row, options_.window));
    side.summary.baseline = baseline;
    Take(std::move(side));
    return OkStatus();
  }

  // All but the words, which depend on what else is compared: Conclude.
  Result<Comparison> Finish() && {
    RETURN_IF_ERROR(AddDoubts());
    std::vector<ComparedExperiment>& all = comparison_.experiments;
    comparison_.baseline = all.front().name;
    all.front().alone = all.size() == 1;
    comparison_.measured = IsMeasured(all);
    return std::move(comparison_);
  }

 private:
  // The promoted run of ROW's name and, against it, what was run since.
  Status AddSincePromoted(const ExperimentRow& row) {
    ASSIGN_OR_RETURN(MeasuredSide promoted,
                     MeasurePromoted(reader_, options_, row));
    ASSIGN_OR_RETURN(MeasuredSide side,
                     Measure(reader_, row, options_.window,
                             promoted.summary.run_ids.back()));
    side.summary.baseline = promoted.summary.name;
    Take(std::move(promoted));
    Take(std::move(side));
    return OkStatus();
  }

  void Take(MeasuredSide side) {
    const std::string name = side.summary.name;
    const bool is_baseline = name == side.summary.baseline;
    if (!is_baseline) {
      ComparePair(baselines_.at(side.summary.baseline), options_, side,
                  comparison_);
    }
    for (const std::string& observation : side.summary.observations) {
      std::string& note = comparison_.notes.emplace_back(name);
      note.append(": ").append(observation);
    }
    if (side.summary.device == "cuda" && !side.gpu.sm_clock_mhz) {
      comparison_.notes.push_back(
          name + ": GPU clocks and power cap are unknown, nobody sampled them");
    }
    if (side.sweep_id != 0) {
      sweeps_.insert(side.sweep_id);
    }
    comparison_.experiments.push_back(side.summary);
    if (is_baseline) {
      baselines_.emplace(name, std::move(side));
    }
  }

  // What the sweeps that the runs belong to say of the machine.
  Status AddDoubts() {
    for (const int64_t sweep : sweeps_) {
      ASSIGN_OR_RETURN(const auto findings, reader_.SweepFindings(sweep));
      for (const FindingRow& finding : findings) {
        for (const auto& [code, start] : kDoubts) {
          if (finding.code == code) {
            comparison_.doubts.push_back(start + finding.message + ".");
          }
        }
      }
    }
    return OkStatus();
  }

  const Reader& reader_;
  const CompareOptions& options_;
  std::map<std::string, MeasuredSide> baselines_;
  std::set<int64_t> sweeps_;
  Comparison comparison_;
};

Result<Comparison> CompareOne(const Reader& reader,
                              const std::vector<std::string>& names,
                              const CompareOptions& options) {
  ASSIGN_OR_RETURN(const Pairing pairing, Pair(reader, names, options));
  Comparer comparer(reader, options);
  for (const std::string& name : pairing.order) {
    RETURN_IF_ERROR(
        comparer.Add(pairing.rows.at(name), pairing.baseline_of.at(name)));
  }
  return std::move(comparer).Finish();
}

// The words of all pairs, which are corrected together.
void Conclude(std::vector<Comparison>& groups) {
  std::vector<SpeedRatio*> ratios;
  for (Comparison& group : groups) {
    for (ComparedExperiment& e : group.experiments) {
      ratios.push_back(&e.ratio);
    }
  }
  CorrectForMany(ratios);
  for (Comparison& group : groups) {
    DoubtDisturbed(group.experiments);
    group.verdict_lines = VerdictLines(group);
    group.verdict = VerdictText(group.verdict_lines);
  }
}

}  // namespace

Result<std::vector<Comparison>> CompareGroups(
    const Reader& reader, const std::vector<CompareGroup>& groups,
    const CompareOptions& options) {
  ASSIGN_OR_RETURN(const Snapshot snapshot, reader.TakeSnapshot());
  std::vector<Comparison> comparisons;
  for (const CompareGroup& group : groups) {
    CompareOptions own = options;
    own.baseline = group.baseline;
    ASSIGN_OR_RETURN(comparisons.emplace_back(),
                     CompareOne(reader, group.names, own));
  }
  Conclude(comparisons);
  return comparisons;
}

Result<Comparison> Compare(const Reader& reader,
                           const std::vector<std::string>& names,
                           const CompareOptions& options) {
  ASSIGN_OR_RETURN(std::vector<Comparison> one,
                   CompareGroups(reader, {{names, options.baseline}}, options));
  return std::move(one.front());
}

}  // namespace zs::results
