#include "runner/sweep/spend.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "results/report/whole_sweep.h"

namespace zs {
namespace {

using Indices = std::map<std::string, size_t>;

Indices IndicesOf(const Sweep& sweep) {
  Indices indices;
  for (size_t i = 0; i < sweep.experiments.size(); ++i) {
    indices[sweep.experiments[i].name] = i;
  }
  return indices;
}

// An experiment and whom it is compared with, as indices.
struct Pair {
  size_t compared = 0;
  size_t baseline = 0;
};

Result<std::vector<Pair>> OpenPairs(const results::Reader& reader,
                                    const Sweep& sweep, int64_t sweep_id) {
  ASSIGN_OR_RETURN(const results::Comparison comparison,
                   results::CompareSweep(reader, sweep_id, {}));
  const Indices indices = IndicesOf(sweep);
  std::vector<Pair> pairs;
  for (const results::ComparedExperiment& e : comparison.experiments) {
    const auto compared = indices.find(e.name);
    const auto baseline = indices.find(e.baseline);
    if (e.name == e.baseline || compared == indices.end() ||
        baseline == indices.end()) {
      continue;
    }
    const UntilPlan& own = sweep.experiments[compared->second].until;
    const UntilPlan& other = sweep.experiments[baseline->second].until;
    const UntilPlan& until = own.max > 0 ? own : other;
    if (until.max > 0 && IsOpen(e.ratio, until.rel_ci)) {
      pairs.push_back({compared->second, baseline->second});
    }
  }
  return pairs;
}

// The keys of sweep SWEEP_ID by the names of its experiments.
Result<std::map<std::string, std::string>> KeysOf(const results::Reader& reader,
                                                  int64_t sweep_id) {
  ASSIGN_OR_RETURN(const auto rows, reader.Experiments(sweep_id));
  std::map<std::string, std::string> keys;
  for (const results::ExperimentRow& row : rows) {
    keys[row.experiment.name] = row.experiment.key;
  }
  return keys;
}

}  // namespace

bool IsOpen(const results::SpeedRatio& ratio, double rel_ci) {
  return ratio.lo && ratio.hi && ratio.word == "UNDECIDED" &&
         std::log(*ratio.hi / *ratio.lo) / 2 > rel_ci;
}

Result<std::vector<size_t>> OpenMembers(const results::Reader& reader,
                                        const Sweep& sweep, int64_t sweep_id) {
  ASSIGN_OR_RETURN(const auto pairs, OpenPairs(reader, sweep, sweep_id));
  std::set<size_t> open;
  for (const Pair& pair : pairs) {
    open.insert({pair.compared, pair.baseline});
  }
  return std::vector<size_t>(open.begin(), open.end());
}

Result<std::vector<size_t>> OpenOnRecord(const results::Reader& reader,
                                         const Sweep& sweep,
                                         const std::vector<std::string>& keys,
                                         const std::vector<bool>& selected) {
  ASSIGN_OR_RETURN(const std::vector<results::SweepRow> sweeps,
                   reader.Sweeps());
  for (auto row = sweeps.rbegin(); row != sweeps.rend(); ++row) {
    if (row->start.name != sweep.name) {
      continue;
    }
    ASSIGN_OR_RETURN(const auto past, KeysOf(reader, row->id));
    std::vector<bool> same(sweep.experiments.size());
    bool has_all = !past.empty();
    for (size_t i = 0; i < sweep.experiments.size(); ++i) {
      const auto key = past.find(sweep.experiments[i].name);
      has_all = has_all && (!selected[i] || key != past.end());
      same[i] = selected[i] && key != past.end() && key->second == keys[i];
    }
    if (!has_all) {
      continue;
    }
    ASSIGN_OR_RETURN(const auto pairs, OpenPairs(reader, sweep, row->id));
    std::set<size_t> open;
    for (const Pair& pair : pairs) {
      if (same[pair.compared] && same[pair.baseline]) {
        open.insert({pair.compared, pair.baseline});
      }
    }
    return std::vector<size_t>(open.begin(), open.end());
  }
  return std::vector<size_t>();
}

}  // namespace zs
