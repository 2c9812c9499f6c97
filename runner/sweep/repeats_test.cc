#include "runner/sweep/repeats.h"

#include <map>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

// Experiments 0 and 1, each two repeats and up to four.
class RepeatsTest : public ::testing::Test {
 protected:
  RepeatsTest() : sweep_{.experiments = std::vector<Experiment>(2)} {
    for (Experiment& experiment : sweep_.experiments) {
      experiment.repeats = 2;
      experiment.until.max = 4;
    }
    members_ = {{.index = 0}, {.index = 1}};
  }

  Status Run() {
    return RunRepeats(
        members_,
        {.sweep = sweep_,
         .run =
             [this](Member& member) {
               runs_[member.index].push_back(member.next++);
               return OkStatus();
             },
         .must_stop = [this] { return must_stop_; },
         .undecided =
             [this] { return Result<std::vector<size_t>>(undecided_); },
         .spending = [](size_t) {}});
  }

  using Runs = std::map<size_t, std::vector<int>>;

  Sweep sweep_;
  std::vector<Member> members_;
  std::vector<size_t> undecided_;
  bool must_stop_ = false;
  Runs runs_;
};

TEST_F(RepeatsTest, WhatIsDecidedGetsItsRepeatsAlone) {
  EXPECT_OK(Run());
  EXPECT_EQ(runs_, (Runs{{0, {1, 2}}, {1, {1, 2}}}));
}

TEST_F(RepeatsTest, WhatIsUndecidedGoesOnToItsMost) {
  undecided_ = {0, 1};
  sweep_.experiments[0].until.max = 3;
  EXPECT_OK(Run());
  EXPECT_EQ(runs_, (Runs{{0, {1, 2, 3}}, {1, {1, 2, 3, 4}}}));
}

TEST_F(RepeatsTest, AnEarlierRunnersRepeatsCount) {
  undecided_ = {1};
  members_ = {{.index = 1, .next = 4}};  // its baseline is in no group
  EXPECT_OK(Run());
  EXPECT_EQ(runs_, (Runs{{1, {4}}}));
}

TEST_F(RepeatsTest, NothingFurtherIsStartedOnceItMustStop) {
  undecided_ = {0, 1};
  must_stop_ = true;
  EXPECT_OK(Run());
  EXPECT_EQ(runs_, (Runs{{0, {1, 2}}, {1, {1, 2}}}));
}

TEST_F(RepeatsTest, WhatHasFailedDoesNotGoOn) {
  undecided_ = {0, 1};
  members_[0].alive = false;
  EXPECT_OK(Run());
  EXPECT_EQ(runs_, (Runs{{1, {1, 2, 3, 4}}}));
}

}  // namespace
}  // namespace zs
