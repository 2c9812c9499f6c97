// Lets a signal end a pass at the next unit.
#ifndef ENGINE_TRAIN_INTERRUPTIBLE_HOOKS_H_
#define ENGINE_TRAIN_INTERRUPTIBLE_HOOKS_H_

#include <functional>
#include <utility>

#include "engine/model/unit_hooks.h"

namespace zs {

// Asks STOP before each call and hands the call on to HOOKS, which outlives it.
class InterruptibleHooks final : public UnitHooks {
 public:
  InterruptibleHooks(UnitHooks& hooks, std::function<Status()> stop)
      : hooks_(hooks), stop_(std::move(stop)) {}

  Result<const void*> Parameters(int unit) override {
    RETURN_IF_ERROR(stop_());
    return hooks_.Parameters(unit);
  }
  Result<UnitGradients> Gradients(int unit) override {
    RETURN_IF_ERROR(stop_());
    return hooks_.Gradients(unit);
  }
  Status GradientsDone(int unit) override { return hooks_.GradientsDone(unit); }

 private:
  UnitHooks& hooks_;
  const std::function<Status()> stop_;
};

}  // namespace zs

#endif  // ENGINE_TRAIN_INTERRUPTIBLE_HOOKS_H_
