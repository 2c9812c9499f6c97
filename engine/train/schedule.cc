#include "engine/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace zs {

double LearningRate(const TrainConfig& train, int64_t step) {
  const int64_t warmup = train.lr_warmup_steps;
  if (step <= warmup) {
    return train.lr * static_cast<double>(step) / static_cast<double>(warmup);
  }
  if (train.lr_schedule != "cosine") {
    return train.lr;
  }
  const auto span =
      static_cast<double>(std::max<int64_t>(train.steps - warmup, 1));
  const double done = std::min(static_cast<double>(step - warmup) / span, 1.0);
  const double height = (1 + std::cos(std::numbers::pi * done)) / 2;
  return train.min_lr + (train.lr - train.min_lr) * height;
}

}  // namespace zs
