#include "runner/plan/spec/graph.h"

#include <functional>
#include <queue>

namespace zs {
namespace {

// Kahn's algorithm with the smallest ready index first.
std::vector<size_t> Order(const Graph& graph) {
  std::vector<size_t> open(graph.needs.size());
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < open.size(); ++i) {
    open[i] = graph.needs[i].size();
    if (open[i] == 0) {
      ready.push(i);
    }
  }
  std::vector<size_t> order;
  order.reserve(open.size());
  while (!ready.empty()) {
    const size_t i = ready.top();
    ready.pop();
    order.push_back(i);
    for (const size_t user : graph.users[i]) {
      if (--open[user] == 0) {
        ready.push(user);
      }
    }
  }
  return order;
}

// The first need of I that is still waiting. There is one for each waiting
// experiment, or it would have been ordered.
size_t WaitingNeed(const Graph& graph, const std::vector<bool>& waiting,
                   size_t i) {
  for (const size_t need : graph.needs[i]) {
    if (waiting[need]) {
      return need;
    }
  }
  return i;
}

}  // namespace

Graph MakeGraph(const Sweep& sweep) {
  Graph graph;
  const size_t count = sweep.experiments.size();
  graph.needs.resize(count);
  graph.users.resize(count);
  graph.index.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    graph.index.emplace(sweep.experiments[i].name, i);
  }
  for (size_t i = 0; i < count; ++i) {
    for (const std::string& name : sweep.experiments[i].needs) {
      const auto it = graph.index.find(name);
      if (it != graph.index.end()) {
        graph.needs[i].push_back(it->second);
        graph.users[it->second].push_back(i);
      }
    }
  }
  graph.order = Order(graph);
  return graph;
}

std::vector<std::vector<size_t>> FindCycles(const Sweep& sweep) {
  const Graph graph = MakeGraph(sweep);
  std::vector<bool> waiting(sweep.experiments.size(), true);
  for (const size_t i : graph.order) {
    waiting[i] = false;
  }
  std::vector<std::vector<size_t>> cycles;
  std::vector<size_t> seen_by(sweep.experiments.size(), 0);  // number of a walk
  for (size_t start = 0; start < waiting.size(); ++start) {
    size_t at = start;
    while (waiting[at] && seen_by[at] == 0) {
      seen_by[at] = start + 1;
      at = WaitingNeed(graph, waiting, at);
    }
    if (!waiting[at] || seen_by[at] != start + 1) {
      continue;  // nothing waits here, or an earlier walk was here
    }
    std::vector<size_t> cycle = {at};
    for (size_t next = WaitingNeed(graph, waiting, at); next != at;
         next = WaitingNeed(graph, waiting, next)) {
      cycle.push_back(next);
    }
    cycles.push_back(std::move(cycle));
  }
  return cycles;
}

std::vector<size_t> WithNeeds(const Graph& graph,
                              const std::vector<size_t>& indices) {
  std::vector<bool> wanted(graph.needs.size(), false);
  std::vector<size_t> open = indices;
  while (!open.empty()) {
    const size_t i = open.back();
    open.pop_back();
    if (!wanted[i]) {
      wanted[i] = true;
      open.insert(open.end(), graph.needs[i].begin(), graph.needs[i].end());
    }
  }
  std::vector<size_t> all;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) {
      all.push_back(i);
    }
  }
  return all;
}

}  // namespace zs
