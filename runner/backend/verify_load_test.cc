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
