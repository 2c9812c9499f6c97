// The learning rate of each step.
#ifndef ENGINE_TRAIN_SCHEDULE_H_
#define ENGINE_TRAIN_SCHEDULE_H_

#include <cstdint>

#include "engine/api/run_config.h"

namespace zs {

// The learning rate of STEP, from 1. With w = lr_warmup_steps and T = steps:
//   step <= w:  lr x step / w
//   constant:   lr
//   cosine:     min_lr + (lr - min_lr) (1 + cos(pi (step - w) / (T - w))) / 2
// so that it is lr at step w and min_lr at step T (Loshchilov and Hutter 2017,
// without restarts).
double LearningRate(const TrainConfig& train, int64_t step);

}  // namespace zs

#endif  // ENGINE_TRAIN_SCHEDULE_H_
