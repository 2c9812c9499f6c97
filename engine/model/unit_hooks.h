// The seam between the model, which computes, and zero/, which owns
// parameters and gradients and moves them between ranks.
#ifndef ENGINE_MODEL_UNIT_HOOKS_H_
#define ENGINE_MODEL_UNIT_HOOKS_H_

#include "base/status.h"

namespace zs {

// Where a micro-batch's gradients of a unit go.
struct UnitGradients {
  float* data = nullptr;  // as many as the unit has elements
  // Whether to add to what earlier micro-batches left there; otherwise what is
  // there is no matter, and every gradient must be written.
  bool add = true;
};

// Called by the model from its computing thread; unit numbers are those of
// Layout(). An error ends the pass and is returned by it.
class UnitHooks {
 public:
  virtual ~UnitHooks() = default;

  // Before the forward pass reads parameters of UNIT: returns them, whole and
  // current (waits for a gather in flight), in the device's parameter_dtype().
  // Valid until the next step.
  virtual Result<const void*> Parameters(int unit) = 0;

  // Before the backward pass writes the first gradient of UNIT in this
  // micro-batch.
  virtual Result<UnitGradients> Gradients(int unit) = 0;

  // The gradients of UNIT are complete for this micro-batch; communication may
  // begin. The buffer must not be touched by the model after it.
  virtual Status GradientsDone(int unit) = 0;
};

}  // namespace zs

#endif  // ENGINE_MODEL_UNIT_HOOKS_H_
