#include "runner/sweep/machine_findings.h"

#include "gtest/gtest.h"

namespace zs {
namespace {

std::vector<double> Level(double ms) {
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) {
    times.push_back(ms * (1 + 0.002 * (i % 3)));
  }
  return times;
}

TEST(MachineFindingsTest, ADriftIsNamedWithItsLevels) {
  EXPECT_EQ(DriftText("s", {Level(100), Level(103), Level(106)}),
            "sentinel s: the machine drifts, step times (ms) 100.20, 103.21, "
            "106.21 in order: +6.0% from the first to the last");
  EXPECT_EQ(DriftText("s", {Level(100), Level(103), Level(100.5)}), "");
  EXPECT_EQ(DriftText("s", {Level(100)}), "");
  EXPECT_EQ(DriftText("s", {}), "");
}

LinkRun Between(const std::string& a, const std::string& b, double gb_s) {
  return {.hosts = {a, b}, .op = "send_receive", .busbw_gb_s = gb_s};
}

TEST(MachineFindingsTest, TheNodeThatIsSlowInAllItsPairsIsNamed) {
  const auto slow =
      SlowNodesOf({Between("a", "b", 1.0), Between("b", "c", 0.5),
                   Between("c", "d", 0.52), Between("d", "a", 0.98)});
  ASSERT_EQ(slow.size(), 1u);
  EXPECT_EQ(slow[0].host, "c");
  EXPECT_DOUBLE_EQ(slow[0].busbw_gb_s, 0.52);
  EXPECT_DOUBLE_EQ(slow[0].others_gb_s, 0.99);  // the middle of .52 .98 1 1
}

TEST(MachineFindingsTest, EqualNodesAndTooFewSayNothing) {
  EXPECT_TRUE(SlowNodesOf({Between("a", "b", 1.0), Between("b", "c", 0.9),
                           Between("c", "a", 0.8)})
                  .empty());
  EXPECT_TRUE(SlowNodesOf({Between("a", "b", 1.0)}).empty());
  EXPECT_TRUE(SlowNodesOf({}).empty());
  // All nodes in every run: nothing tells one from the others.
  EXPECT_TRUE(
      SlowNodesOf(
          {{.hosts = {"a", "b", "c"}, .op = "all_reduce", .busbw_gb_s = 1},
           {.hosts = {"a", "b", "c"}, .op = "all_reduce", .busbw_gb_s = 2}})
          .empty());
}

}  // namespace
}  // namespace zs
