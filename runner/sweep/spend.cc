#include "runner/sweep/spend.h"

#include <cmath>

#include "results/report/compare.h"

namespace zs {
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

}  // namespace zs
