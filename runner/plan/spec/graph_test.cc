#include "runner/plan/spec/graph.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

using Indices = std::vector<size_t>;

Sweep MakeSweep(
    const std::vector<std::pair<std::string, std::vector<std::string>>>& rows) {
  Sweep sweep;
  for (const auto& [name, needs] : rows) {
    Experiment experiment;
    experiment.name = name;
    experiment.needs = needs;
    sweep.experiments.push_back(experiment);
  }
  return sweep;
}

TEST(GraphTest, KeepsFileOrderWhereNeedsAllow) {
  const Sweep sweep = MakeSweep(
      {{"a", {"c"}}, {"b", {}}, {"c", {}}, {"d", {"a", "b"}}, {"e", {}}});
  const Graph graph = MakeGraph(sweep);
  EXPECT_EQ(graph.order, (Indices{1, 2, 0, 3, 4}));
  EXPECT_EQ(graph.users[2], Indices{0});
  EXPECT_EQ(graph.needs[3], (Indices{0, 1}));
}

TEST(GraphTest, FindsEachCycleOnceAndNotItsUsers) {
  const Sweep sweep = MakeSweep({{"x", {"y"}},
                                 {"y", {"z"}},
                                 {"z", {"y"}},
                                 {"self", {"self"}},
                                 {"free", {}}});
  const auto cycles = FindCycles(sweep);
  ASSERT_EQ(cycles.size(), 2u);
  EXPECT_EQ(cycles[0], (Indices{1, 2}));
  EXPECT_EQ(cycles[1], Indices{3});
  EXPECT_EQ(MakeGraph(sweep).order, Indices{4});
}

TEST(GraphTest, WithNeedsIsTransitive) {
  const Graph graph =
      MakeGraph(MakeSweep({{"a", {}}, {"b", {"a"}}, {"c", {"b"}}, {"d", {}}}));
  EXPECT_EQ(WithNeeds(graph, {2}), (Indices{0, 1, 2}));
  EXPECT_EQ(WithNeeds(graph, {3}), Indices{3});
  EXPECT_TRUE(WithNeeds(graph, {}).empty());
}

TEST(GraphTest, LongChainsNeedNoRecursion) {
  std::vector<std::pair<std::string, std::vector<std::string>>> rows;
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) {
    rows.push_back(
        {"n" + std::to_string(i), {"n" + std::to_string((i + 1) % kCount)}});
  }
  EXPECT_EQ(FindCycles(MakeSweep(rows)).size(), 1u);
  rows.back().second.clear();
  EXPECT_EQ(MakeGraph(MakeSweep(rows)).order.front(), size_t{kCount - 1});
}

}  // namespace
}  // namespace zs
