#include "runner/sweep/blocks.h"

#include <algorithm>
#include <random>
#include <utility>

namespace zs {
namespace {

bool NeedsOneOf(const Graph& graph, size_t i,
                const std::vector<size_t>& group) {
  return std::any_of(
      graph.needs[i].begin(), graph.needs[i].end(), [&](size_t need) {
        return std::find(group.begin(), group.end(), need) != group.end();
      });
}

}  // namespace

bool IsRepeated(const Experiment& experiment) {
  return std::max(experiment.repeats, experiment.until.max) > 1;
}

std::vector<std::vector<size_t>> GroupsOf(const Sweep& sweep,
                                          const Graph& graph,
                                          const std::vector<bool>& to_run) {
  std::vector<std::vector<size_t>> groups;
  bool open = false;  // whether the last group takes more
  for (const size_t i : graph.order) {
    if (!to_run[i]) {
      continue;
    }
    const bool repeated = IsRepeated(sweep.experiments[i]);
    if (repeated && open && !NeedsOneOf(graph, i, groups.back())) {
      groups.back().push_back(i);
    } else {
      groups.push_back({i});
    }
    open = repeated;
  }
  return groups;
}

std::vector<size_t> BlockOrder(std::vector<size_t> members, uint64_t seed,
                               int block) {
  std::seed_seq words{static_cast<uint32_t>(seed),
                      static_cast<uint32_t>(seed >> 32U),
                      static_cast<uint32_t>(block)};
  std::mt19937_64 random(words);
  // Fisher and Yates; the standard's shuffle differs between libraries.
  for (size_t i = members.size(); i > 1; --i) {
    std::swap(members[i - 1], members[static_cast<size_t>(random() % i)]);
  }
  return members;
}

}  // namespace zs
