#include "results/html/whole_sweep.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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

}  // namespace

Result<Comparison> CompareSweep(const Reader& reader, int64_t sweep_id,
                                const CompareOptions& options) {
  ASSIGN_OR_RETURN(const SweepRow sweep, reader.Sweep(sweep_id));
  ASSIGN_OR_RETURN(const auto rows, reader.Experiments(sweep_id));
  if (rows.empty()) {
    return NotFoundError("sweep " + std::to_string(sweep_id) +
                         " has no experiments");
  }
  Comparison whole;
  for (const Group& group : GroupsOf(rows)) {
    CompareOptions one = options;
    one.sweep = sweep.start.name;
    one.baseline = group.names.front();
    ASSIGN_OR_RETURN(Comparison part, Compare(reader, group.names, one));
    if (whole.baseline.empty()) {
      whole.baseline = part.baseline;
    }
    const std::string& backend = std::get<1>(group.key);
    // Benchmarks and commands have no steps to compare; the page shows them.
    const bool trains = backend == "engine" || backend == "megatron";
    if (trains && (group.names.size() > 1 || !part.measured)) {
      whole.verdict += (whole.verdict.empty() ? "" : " ") + part.verdict;
      whole.measured = whole.measured || part.measured;
    }
    Append(std::move(part.experiments), whole.experiments);
    Append(std::move(part.differences), whole.differences);
    Append(std::move(part.notes), whole.notes);
  }
  if (whole.verdict.empty()) {
    whole.verdict =
        "Nothing is compared: no two experiments of this sweep "
        "have the same model and number of ranks.";
  }
  return whole;
}

}  // namespace zs::results
