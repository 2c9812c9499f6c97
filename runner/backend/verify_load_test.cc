#include "runner/backend/verify_load.h"

#include <cmath>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

// Steps FIRST to LAST of a run whose loss falls by a quarter a step.
RunRecord MakeRun(int64_t first, int64_t last) {
  RunRecord record;
  for (int64_t step = first; step <= last; ++step) {
    record.steps.push_back({.step = step,
                            .loss = 8 - 0.25 * static_cast<double>(step),
                            .grad_norm = 1});
  }
  record.ends[0] = {.steps = last, .parameters_sha256 = "abc"};
  return record;
}

TEST(CheckpointToLoadTest, IsTheLastOneWithStepsLeft) {
  RunRecord record = MakeRun(1, 10);
  EXPECT_FALSE(CheckpointToLoad(record).has_value());
  record.checkpoints = {{.action = "saved", .dir = "a", .step = 4},
                        {.action = "saved", .dir = "b", .step = 8},
                        {.action = "loaded", .dir = "c", .step = 9},
                        {.action = "saved", .dir = "d", .step = 10}};
  ASSERT_TRUE(CheckpointToLoad(record).has_value());
  EXPECT_EQ(CheckpointToLoad(record)->dir, "b");
}

TEST(CompareAfterLoadTest, EqualBitsAreProof) {
  EXPECT_OK(CompareAfterLoad(MakeRun(1, 10), MakeRun(5, 10), 4, 0));
}

TEST(CompareAfterLoadTest, ARunFromTheStartHasLoadedNothing) {
  EXPECT_STATUS(CompareAfterLoad(MakeRun(1, 10), MakeRun(1, 10), 4, 1e-2),
                StatusCode::kDataLoss,
                "nothing was loaded: the run that should go on from step 4 "
                "began with step 1");
  EXPECT_STATUS(CompareAfterLoad(MakeRun(1, 10), MakeRun(4, 10), 4, 0),
                StatusCode::kDataLoss, "began with step 4");
}

TEST(CheckLoadedTest, EachRankSaysIt) {
  RunRecord resumed = MakeRun(5, 10);
  EXPECT_STATUS(CheckLoaded(resumed, 4), StatusCode::kDataLoss, "unknown");
  resumed.effective.world_size = 2;
  resumed.checkpoints = {{.rank = 0, .action = "loaded", .step = 4},
                         {.rank = 1, .action = "saved", .step = 4},
                         {.rank = 1, .action = "loaded", .step = 8}};
  EXPECT_STATUS(CheckLoaded(resumed, 4), StatusCode::kDataLoss,
                "rank 1: did not say that it loaded");
  resumed.checkpoints.push_back({.rank = 1, .action = "loaded", .step = 4});
  EXPECT_OK(CheckLoaded(resumed, 4));
}

TEST(CompareAfterLoadTest, TheFirstDifferenceIsNamed) {
  RunRecord resumed = MakeRun(5, 10);
  resumed.steps[2].loss = std::nextafter(*resumed.steps[2].loss, 9);
  EXPECT_STATUS(CompareAfterLoad(MakeRun(1, 10), resumed, 4, 0),
                StatusCode::kDataLoss, "step 7: loss");
  resumed = MakeRun(5, 10);
  resumed.steps.pop_back();
  EXPECT_STATUS(CompareAfterLoad(MakeRun(1, 10), resumed, 4, 0),
                StatusCode::kDataLoss, "step 10: missing");
  resumed = MakeRun(5, 10);
  resumed.ends[0].parameters_sha256 = "abd";
  EXPECT_STATUS(CompareAfterLoad(MakeRun(1, 10), resumed, 4, 0),
                StatusCode::kDataLoss, "rank 0: other parameters");
}

TEST(CompareAfterLoadTest, AToleranceIsAShareOfTheFirstValue) {
  RunRecord resumed = MakeRun(5, 10);
  resumed.steps[0].loss = 6.75 * (1 + 0.9e-3);  // step 5: 8 - 5/4
  EXPECT_OK(CompareAfterLoad(MakeRun(1, 10), resumed, 4, 1e-3));
  resumed.steps[0].loss = 6.75 * (1 + 1.1e-3);
  EXPECT_STATUS(CompareAfterLoad(MakeRun(1, 10), resumed, 4, 1e-3),
                StatusCode::kDataLoss, "step 5: loss");
}

TEST(CompareAfterLoadTest, ALossThatNobodyToldProvesNothing) {
  RunRecord first = MakeRun(1, 10);
  RunRecord resumed = MakeRun(5, 10);
  first.steps[6].loss.reset();
  resumed.steps[2].loss.reset();
  EXPECT_STATUS(CompareAfterLoad(first, resumed, 4, 0), StatusCode::kDataLoss,
                "step 7: loss unknown");
}

}  // namespace
}  // namespace zs
