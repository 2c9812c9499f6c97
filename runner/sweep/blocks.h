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

}  // namespace zs

#endif  // RUNNER_SWEEP_BLOCKS_H_
