#include "engine/model/activation_buffers.h"

#include <string>
#include <utility>

namespace zs {

Result<ActivationBuffers> ActivationBuffers::Allocate(const ModelConfig& model,
                                                      const TrainConfig& train,
                                                      Ops& ops) {
  const auto plan = PlanBuffers(model, train);
  ActivationBuffers buffers;
  for (int i = 0; i < kBufferCount; ++i) {
    Slot& slot = buffers.slots_[i];
    if (plan[i].bytes() == 0) {
      continue;
    }
    Result<void*> data = ops.Allocate(plan[i].bytes());
    if (!data.ok()) {
      return data.status().WithContext(
          "activations, after " + std::to_string(buffers.memory().total) +
          " bytes (a smaller train.micro_batch or train.recompute \"full\" "
          "needs less)");
    }
    slot = {.plan = plan[i],
            .dtype = plan[i].element_bytes == 2 ? DType::kBF16 : DType::kF32,
            .data = {*data, DeviceFree{&ops}}};
  }
  return buffers;
}

Tensor ActivationBuffers::At(Buffer buffer, int64_t layer) const {
  const Slot& s = slot(buffer);
  if (s.data == nullptr) {
    return {};
  }
  const char* data = static_cast<const char*>(s.data.get());
  const int64_t copy = s.plan.copies > 1 ? layer : 0;
  return View(data + copy * s.plan.copy_bytes(), s.plan.rows, s.plan.cols,
              s.dtype);
}

Tensor ActivationBuffers::At(Buffer buffer, int64_t rows, int64_t cols) const {
  const Slot& s = slot(buffer);
  return View(s.data.get(), rows, cols, s.dtype);
}

MemoryBytes ActivationBuffers::memory() const {
  MemoryBytes memory;
  for (const Slot& s : slots_) {
    memory.total += s.data == nullptr ? 0 : s.plan.bytes();
  }
  const Slot& logits = slot(Buffer::kLogits);
  memory.logits = logits.data == nullptr ? 0 : logits.plan.bytes();
  memory.activations = memory.total - memory.logits;
  return memory;
}

}  // namespace zs
