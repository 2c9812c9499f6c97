// The order of a sweep: experiments are referred to by their index in
// Sweep::experiments.
#ifndef RUNNER_PLAN_SPEC_GRAPH_H_
#define RUNNER_PLAN_SPEC_GRAPH_H_

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runner/plan/spec/experiment.h"

namespace zs {

using NameIndex = std::unordered_map<std::string_view, size_t>;

// What needs what. Valid while the sweep is unchanged.
struct Graph {
  NameIndex index;                         // the first experiment of a name
  std::vector<std::vector<size_t>> needs;  // of each experiment
  std::vector<std::vector<size_t>> users;  // the inverse: who needs it
  std::vector<size_t> order;  // needs before users, otherwise file order;
                              // lacks what a cycle holds back
};

// The graph of SWEEP; needs that name nothing are left out.
Graph MakeGraph(const Sweep& sweep);

// Cycles among the needs of SWEEP, each as its members in order, at least one
// for each group of experiments that wait for each other; empty where there
// is none.
std::vector<std::vector<size_t>> FindCycles(const Sweep& sweep);

// INDICES and all that they need, directly or not, ascending.
std::vector<size_t> WithNeeds(const Graph& graph,
                              const std::vector<size_t>& indices);

}  // namespace zs

#endif  // RUNNER_PLAN_SPEC_GRAPH_H_
