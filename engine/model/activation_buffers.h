// The memory of a decoder's activations.
#ifndef ENGINE_MODEL_ACTIVATION_BUFFERS_H_
#define ENGINE_MODEL_ACTIVATION_BUFFERS_H_

#include <array>
#include <cstdint>
#include <memory>

#include "base/status.h"
#include "engine/api/activations.h"
#include "engine/api/event.h"
#include "engine/ops/ops.h"

namespace zs {

// Gives memory back to the Ops that it came from.
struct DeviceFree {
  Ops* ops = nullptr;
  void operator()(void* data) const { ops->Free(data); }
};

// Owns the buffers of PlanBuffers() in the memory of an Ops, which must outlive
// it.
class ActivationBuffers {
 public:
  // kResourceExhausted names what is held and what was asked for.
  static Result<ActivationBuffers> Allocate(const ModelConfig& model,
                                            const TrainConfig& train, Ops& ops);

  // The whole of a buffer of LAYER: its own copy, or the one that all share.
  // Absent where the plan has none.
  Tensor At(Buffer buffer, int64_t layer = 0) const;
  // The first {rows, cols} elements of a shared buffer, contiguous.
  Tensor At(Buffer buffer, int64_t rows, int64_t cols) const;

  // Activations and logits; `total` is their sum.
  MemoryBytes memory() const;

 private:
  struct Slot {
    BufferPlan plan;
    DType dtype = DType::kF32;
    std::unique_ptr<void, DeviceFree> data;
  };

  ActivationBuffers() = default;

  const Slot& slot(Buffer buffer) const {
    return slots_[static_cast<size_t>(buffer)];
  }

  std::array<Slot, kBufferCount> slots_;
};

}  // namespace zs

#endif  // ENGINE_MODEL_ACTIVATION_BUFFERS_H_
