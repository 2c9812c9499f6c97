#include "results/report/verdict_text.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "results/report/comparison.h"

namespace zs::results {
namespace {

TEST(VerdictTextTest, SharesAreFractionsWhereTheyAre) {
  EXPECT_EQ(ShareText(50, 100), "1/2");
  EXPECT_EQ(ShareText(52, 100), "1/2");
  EXPECT_EQ(ShareText(25, 100), "1/4");
  EXPECT_EQ(ShareText(3.125, 100), "1/32");
  EXPECT_EQ(ShareText(73, 100), "0.73x");
  EXPECT_EQ(ShareText(150, 100), "1.50x");
}

ComparedExperiment Side(const std::string& name, double ratio, double spread,
                        const std::string& word, int64_t memory) {
  ComparedExperiment e;
  e.name = name;
  e.baseline = "z0";
  e.mem_peak = MemoryRow{.total = memory};
  if (name != "z0") {
    e.ratio.value = ratio;
    e.ratio.lo = ratio - spread;
    e.ratio.hi = ratio + spread;
    e.ratio.word = word;
  }
  return e;
}

std::string FirstOf(const std::vector<ComparedExperiment>& sides) {
  Comparison comparison;
  comparison.experiments = sides;
  const std::string text = VerdictText(VerdictLines(comparison));
  return text.substr(0, text.find(". z1 is"));
}

TEST(VerdictTextTest, TheBestComesFirst) {
  const ComparedExperiment z0 = Side("z0", 1, 0, "", 1000);
  EXPECT_EQ(FirstOf({z0, Side("z1", 1.10, 0.02, "FASTER", 800),
                     Side("z2", 1.05, 0.02, "FASTER", 700)}),
            "BEST: z1, 1.10 times as fast as z0 (95% sure: 1.08 to 1.12) with "
            "0.80x its memory");
  EXPECT_EQ(FirstOf({z0, Side("z1", 1.10, 0.02, "FASTER", 1000),
                     Side("z2", 1.06, 0.08, "UNDECIDED", 700)}),
            "BEST: z1, 1.10 times as fast as z0 (95% sure: 1.08 to 1.12); z2 "
            "may be as fast");
  EXPECT_EQ(FirstOf({z0, Side("z1", 1.00, 0.005, "SAME", 600),
                     Side("z2", 0.9, 0.02, "SLOWER", 500)}),
            "BEST: z0, nothing is faster; z1 is as fast with 0.60x its memory");
  EXPECT_EQ(FirstOf({z0, Side("z1", 1.02, 0.04, "UNDECIDED", 600)}),
            "NO WINNER YET: z1 may be faster than z0 or not");
}

TEST(VerdictTextTest, OneExperimentIsNoComparison) {
  Comparison comparison;
  ComparedExperiment z0;
  z0.name = z0.baseline = "z0";
  z0.step_ms_median = 12.5;
  z0.tokens_per_s_per_gpu = 100;
  z0.n = 20;
  comparison.experiments = {z0};
  EXPECT_EQ(VerdictText(VerdictLines(comparison)),
            "MEASURED: z0: 100.0 tokens/s per rank, 12.50 ms a step (median of "
            "20); there is nothing to compare it with: name another experiment "
            "with --compare, or give the file one of another zero_stage.");
  EXPECT_TRUE(VerdictLines({}).empty());
}

}  // namespace
}  // namespace zs::results
