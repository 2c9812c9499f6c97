#include "runner/plan/decide.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

// smoke -> z0 -> z1; alone.
class DecideTest : public ::testing::Test {
 protected:
  DecideTest() : facts_(4) {
    Add("smoke", {});
    Add("z0", {"smoke"});
    Add("z1", {"z0"});
    Add("alone", {});
  }

  void Add(const std::string& name, const std::vector<std::string>& needs) {
    Experiment experiment;
    experiment.name = name;
    experiment.needs = needs;
    sweep_.experiments.push_back(experiment);
  }

  // "run", "cached", "skipped need_failed", ... of each.
  std::vector<std::string> Decided() {
    decisions_ = Decide(sweep_, MakeGraph(sweep_), facts_);
    std::vector<std::string> texts;
    for (const Decision& decision : decisions_) {
      const std::string cause(SkipCauseName(decision.cause));
      texts.push_back(std::string(ActionName(decision.action)) +
                      (cause.empty() ? "" : " " + cause));
    }
    return texts;
  }

  using Texts = std::vector<std::string>;

  Sweep sweep_;
  std::vector<Facts> facts_;
  std::vector<Decision> decisions_;
};

TEST_F(DecideTest, RunsWhatIsNew) {
  facts_[2].changed = "specification.train.seed: 1 -> 2";
  EXPECT_EQ(Decided(), (Texts{"run", "run", "run", "run"}));
  EXPECT_EQ(decisions_[0].reason, "no run has passed yet");
  EXPECT_EQ(decisions_[2].reason, "changed: specification.train.seed: 1 -> 2");
}

TEST_F(DecideTest, APassThatNoLongerCountsIsNamed) {
  facts_[0].outdated = "expect.max_step_cv changed: 0.2, at most 0.1 (run 3)";
  sweep_.experiments[1].repeats = 2;
  facts_[1] = {.past_passes = 1, .outdated = "expect.world_size changed: 2"};
  EXPECT_EQ(Decided(), (Texts{"run", "run", "run", "run"}));
  EXPECT_EQ(decisions_[0].reason, facts_[0].outdated);
  EXPECT_EQ(decisions_[1].reason,
            "1 of 2 repeats have passed; expect.world_size changed: 2");
}

TEST_F(DecideTest, WhatIsUndecidedGoesOn) {
  facts_[0].outcome = Outcome::kFailed;
  sweep_.experiments[3].repeats = 2;
  sweep_.experiments[3].until.max = 6;
  facts_[3] = {.past_passes = 3, .past = "run 9", .undecided = true};
  facts_[1] = facts_[3];  // needs what failed: what has passed stays
  EXPECT_EQ(Decided(), (Texts{"done", "cached", "run", "run"}));
  EXPECT_EQ(decisions_[3].reason, "undecided after 3 repeats, until.max 6");
}

TEST_F(DecideTest, WhatItsNodesHaveNotConfirmedIsCachedOnACondition) {
  facts_[0] = {.past_passes = 1, .past = "run 3", .nodes_unasked = true};
  facts_[1] = {.past_passes = 1, .past = "run 4"};
  EXPECT_EQ(Decided(), (Texts{"cached", "cached", "run", "run"}));
  EXPECT_TRUE(decisions_[0].if_nodes_agree);
  EXPECT_EQ(decisions_[0].reason, "run 3, if its nodes are as they were");
  EXPECT_FALSE(decisions_[1].if_nodes_agree);
}

TEST_F(DecideTest, WhatHasPassedIsCached) {
  facts_[0] = {.past_passes = 1, .past = "run 3"};
  facts_[1] = {.past_passes = 1, .rerun = true};
  sweep_.experiments[2].repeats = 3;
  facts_[2].past_passes = 2;
  EXPECT_EQ(Decided(), (Texts{"cached", "run", "run", "run"}));
  EXPECT_EQ(decisions_[0].reason, "run 3");
  EXPECT_EQ(decisions_[1].reason, "asked for again");
  EXPECT_EQ(decisions_[2].reason, "2 of 3 repeats have passed");
}

TEST_F(DecideTest, AFailureSkipsAllThatDependOnIt) {
  facts_[0].outcome = Outcome::kFailed;
  EXPECT_EQ(Decided(), (Texts{"done", "skipped need_failed",
                              "skipped need_failed", "run"}));
  EXPECT_EQ(decisions_[1].reason, "needs smoke, which failed");
  EXPECT_EQ(decisions_[2].reason, "needs z0, which is skipped (need_failed)");
}

TEST_F(DecideTest, ExclusionsAndSizesSkipWithTheirReason) {
  sweep_.experiments[1].exclude = "known to hang";
  facts_[3].does_not_fit = "too large";
  EXPECT_EQ(Decided(), (Texts{"run", "skipped excluded", "skipped need_failed",
                              "skipped does_not_fit"}));
  EXPECT_EQ(decisions_[1].reason, "known to hang");
  EXPECT_EQ(decisions_[3].reason, "too large");
}

TEST_F(DecideTest, CachedStaysCachedWhenANeedFails) {
  facts_[0].outcome = Outcome::kFailed;
  facts_[1].past_passes = 1;
  EXPECT_EQ(Decided(), (Texts{"done", "cached", "run", "run"}));
}

TEST_F(DecideTest, WhatIsNotSelectedHoldsNobodyBack) {
  facts_[0].selected = false;
  facts_[3].selected = false;
  EXPECT_EQ(Decided(), (Texts{"skipped not_selected", "run", "run",
                              "skipped not_selected"}));
}

}  // namespace
}  // namespace zs
