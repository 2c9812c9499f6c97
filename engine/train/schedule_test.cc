#include "engine/train/schedule.h"

#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(ScheduleTest, ConstantAfterLinearWarmUp) {
  TrainConfig train;
  train.lr = 0.4;
  train.lr_schedule = "constant";
  train.lr_warmup_steps = 4;
  train.steps = 100;
  EXPECT_DOUBLE_EQ(LearningRate(train, 1), 0.1);
  EXPECT_DOUBLE_EQ(LearningRate(train, 4), 0.4);
  EXPECT_DOUBLE_EQ(LearningRate(train, 100), 0.4);
}

TEST(ScheduleTest, CosineFallsFromPeakToFloor) {
  TrainConfig train;
  train.lr = 1.0;
  train.min_lr = 0.2;
  train.lr_schedule = "cosine";
  train.lr_warmup_steps = 10;
  train.steps = 30;
  EXPECT_DOUBLE_EQ(LearningRate(train, 10), 1.0);
  EXPECT_DOUBLE_EQ(LearningRate(train, 20), 0.6);  // half way: the mean
  EXPECT_NEAR(LearningRate(train, 30), 0.2, 1e-15);
  EXPECT_NEAR(LearningRate(train, 31), 0.2, 1e-15);
}

TEST(ScheduleTest, NoStepAfterWarmUp) {
  TrainConfig train;
  train.lr = 1.0;
  train.lr_schedule = "cosine";
  train.lr_warmup_steps = 5;
  train.steps = 5;
  EXPECT_DOUBLE_EQ(LearningRate(train, 5), 1.0);
}

}  // namespace
}  // namespace zs
