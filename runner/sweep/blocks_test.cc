#include "runner/sweep/blocks.h"

#include <algorithm>
#include <set>

#include "gtest/gtest.h"

namespace zs {
namespace {

using Groups = std::vector<std::vector<size_t>>;

Experiment Named(const std::string& name, int repeats,
                 std::vector<std::string> needs) {
  Experiment e;
  e.name = name;
  e.repeats = repeats;
  e.needs = std::move(needs);
  return e;
}

Groups GroupsFor(const std::vector<Experiment>& experiments,
                 std::vector<bool> to_run) {
  Sweep sweep;
  sweep.experiments = experiments;
  return GroupsOf(sweep, MakeGraph(sweep), to_run);
}

TEST(BlocksTest, RepeatedNeighboursStandTogether) {
  const std::vector<Experiment> experiments = {
      Named("smoke", 1, {}), Named("z0", 3, {"smoke"}),
      Named("z1", 3, {"smoke"}), Named("z2", 3, {"smoke"}),
      Named("big", 1, {"z0"})};
  EXPECT_EQ(GroupsFor(experiments, {true, true, true, true, true}),
            (Groups{{0}, {1, 2, 3}, {4}}));
  // What is cached does not come between.
  EXPECT_EQ(GroupsFor(experiments, {true, true, false, true, true}),
            (Groups{{0}, {1, 3}, {4}}));
}

TEST(BlocksTest, WhoNeedsAnotherComesAfterAllItsRepeats) {
  EXPECT_EQ(GroupsFor({Named("z0", 3, {}), Named("z1", 3, {"z0"}),
                       Named("z2", 3, {"z0"})},
                      {true, true, true}),
            (Groups{{0}, {1, 2}}));
}

TEST(BlocksTest, SingleRunsKeepTheOrderOfTheFile) {
  EXPECT_EQ(GroupsFor({Named("a", 1, {}), Named("b", 1, {})}, {true, true}),
            (Groups{{0}, {1}}));
}

TEST(BlocksTest, UntilRepeatsToo) {
  Experiment a = Named("a", 1, {});
  a.until = {.rel_ci = 0.01, .max = 5};
  Experiment b = a;
  b.name = "b";
  EXPECT_EQ(GroupsFor({a, b}, {true, true}), (Groups{{0, 1}}));
}

TEST(BlocksTest, OrdersAreRandomAndCanBeHadAgain) {
  const std::vector<size_t> members = {0, 1, 2, 3};
  std::set<std::vector<size_t>> seen;
  for (int block = 1; block <= 50; ++block) {
    const auto order = BlockOrder(members, 7, block);
    EXPECT_EQ(order, BlockOrder(members, 7, block));
    EXPECT_TRUE(std::is_permutation(order.begin(), order.end(), members.begin(),
                                    members.end()));
    seen.insert(order);
  }
  EXPECT_GT(seen.size(), 15u);  // of 24
  EXPECT_NE(BlockOrder(members, 7, 1), BlockOrder(members, 8, 2));
}

}  // namespace
}  // namespace zs
