// In which order repeats are run. Pure.
#ifndef RUNNER_SWEEP_BLOCKS_H_
#define RUNNER_SWEEP_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runner/plan/spec/experiment.h"
#include "runner/plan/spec/graph.h"

namespace zs {

// Whether EXPERIMENT may be run more than once.
bool IsRepeated(const Experiment& experiment);

// The experiments for which TO_RUN holds, in the graph's order, cut into
// groups: neighbours that are repeated and do not need each other stand
// together, so that their repeats can be interleaved; all others stand alone.
std::vector<std::vector<size_t>> GroupsOf(const Sweep& sweep,
                                          const Graph& graph,
                                          const std::vector<bool>& to_run);

// MEMBERS in the random order of block number BLOCK: randomized complete blocks
// (Fisher, "The Design of Experiments", 1935), so that a drift of the machine
// does not favour whoever always comes first. The same seed gives the same
// orders.
std::vector<size_t> BlockOrder(std::vector<size_t> members, uint64_t seed,
                               int block);

// One experiment on its way through a group of repeats.
struct Member {
  size_t index = 0;
  int next = 1;         // the repeat to run
  bool alive = true;    // nothing has failed
  bool reached = true;  // nothing had to stop
};

// Those of MEMBERS that can go on and that WANTED holds for.
template <typename Wanted>
std::vector<size_t> Due(const std::vector<Member>& members, Wanted wanted) {
  std::vector<size_t> due;
  for (size_t k = 0; k < members.size(); ++k) {
    if (members[k].alive && members[k].reached && wanted(members[k])) {
      due.push_back(k);
    }
  }
  return due;
}

}  // namespace zs

#endif  // RUNNER_SWEEP_BLOCKS_H_
