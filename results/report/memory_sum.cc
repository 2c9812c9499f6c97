#include "results/report/memory_sum.h"

namespace zs::results {

std::optional<int64_t> ComponentsOf(const MemoryRow& memory) {
  int64_t sum = 0;
  for (const auto& part : {memory.parameters, memory.gradients,
                           memory.optimizer, memory.activations, memory.logits,
                           memory.workspace, memory.communication}) {
    sum += part.value_or(0);
  }
  return sum > 0 ? std::optional<int64_t>(sum) : std::nullopt;
}

}  // namespace zs::results
