#include "results/report/whole_sweep.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "results/report/verdict_text.h"

namespace zs::results {
namespace {

using GroupKey = std::tuple<std::string, std::string, int>;

struct Group {
  GroupKey key;
  std::vector<std::string> names;  // the baseline first
  int lowest_stage = 0;
};

int StageOf(const Experiment& e) {
  return e.zero_requested.value_or(0);
}

// In the order in which the sweep has them.
std::vector<Group> GroupsOf(const std::vector<ExperimentRow>& rows) {
  std::vector<Group> groups;
  for (const ExperimentRow& row : rows) {
    const Experiment& e = row.experiment;
    const GroupKey key = {e.model, e.backend, e.world_size.value_or(0)};
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& g) { return g.key == key; });
    if (group == groups.end()) {
      groups.push_back({key, {e.name}, StageOf(e)});
    } else if (StageOf(e) < group->lowest_stage) {
      group->lowest_stage = StageOf(e);
      group->names.insert(group->names.begin(), e.name);
    } else {
      group->names.push_back(e.name);
    }
  }
  return groups;
}

template <typename T>
void Append(std::vector<T> from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()),
            std::make_move_iterator(from.end()));
}

// What is wrong comes first, then who is best, each sentence once.
void Tidy(std::vector<VerdictLine>& lines) {
  std::set<std::string> seen;
  std::erase_if(lines, [&](const VerdictLine& line) {
    return !seen.insert(line.text).second;
  });
  std::stable_sort(lines.begin(), lines.end(),
                   [](const VerdictLine& a, const VerdictLine& b) {
                     return a.kind < b.kind;
                   });
}

}  // namespace

Result<Comparison> CompareSweep(const Reader& reader, int64_t sweep_id,
                                const CompareOptions& options) {
  ASSIGN_OR_RETURN(const SweepRow sweep, reader.Sweep(sweep_id));
  ASSIGN_OR_RETURN(const auto rows, reader.Experiments(sweep_id));
  if (rows.empty()) {
    return NotFoundError("sweep " + std::to_string(sweep_id) +
                         " has no experiments");
  }
  const std::vector<Group> groups = GroupsOf(rows);
  std::vector<CompareGroup> wanted;
  for (const Group& group : groups) {
    wanted.push_back({group.names, group.names.front()});
  }
  CompareOptions within = options;
  within.sweep = sweep.start.name;
  ASSIGN_OR_RETURN(std::vector<Comparison> parts,
                   CompareGroups(reader, wanted, within));
  Comparison whole;
  std::string alone;
  for (size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    Comparison& part = parts[i];
    whole.even_so = whole.even_so || part.even_so;
    if (whole.baseline.empty()) {
      whole.baseline = part.baseline;
    }
    const ComparedExperiment& first = part.experiments.front();
    // A command without steps is measured all the same, alone.
    whole.measured =
        whole.measured || part.measured || (first.alone && first.run_id != 0);
    const std::string& backend = std::get<1>(group.key);
    // Benchmarks and commands have no steps to compare; the page shows them.
    const bool trains = backend == "engine" || backend == "megatron";
    if (trains && (group.names.size() > 1 || !part.measured)) {
      Append(std::move(part.verdict_lines), whole.verdict_lines);
    } else if (part.measured) {
      alone += (alone.empty() ? "" : "; ") + AloneText(part.experiments[0]);
    }
    Append(std::move(part.experiments), whole.experiments);
    Append(std::move(part.differences), whole.differences);
    Append(std::move(part.notes), whole.notes);
  }
  const bool compares =
      std::any_of(whole.experiments.begin(), whole.experiments.end(),
                  [](const ComparedExperiment& e) { return !e.alone; });
  if (!compares && !alone.empty()) {
    whole.verdict_lines.push_back(
        {VerdictKind::kDetail,
         "MEASURED: " + alone +
             ". Nothing is compared: no two experiments of this sweep have the "
             "same model and number of ranks; give the file one of another "
             "zero_stage."});
  }
  Tidy(whole.verdict_lines);
  whole.verdict = VerdictText(whole.verdict_lines);
  return whole;
}

}  // namespace zs::results
