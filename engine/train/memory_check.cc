#include "engine/train/memory_check.h"

#include <string>

namespace zs {
namespace {

std::string Mib(int64_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

}  // namespace

Status CheckFits(const MemoryBytes& need, int local_ranks,
                 int64_t available_bytes) {
  if (need.total <= available_bytes / local_ranks) {
    return OkStatus();
  }
  return ResourceExhaustedError(
      "a rank needs " + Mib(need.total) + " (parameters " +
      Mib(need.parameters) + ", gradients " + Mib(need.gradients) +
      ", optimizer " + Mib(need.optimizer) + ", activations " +
      Mib(need.activations) + ", logits " + Mib(need.logits) + ", workspace " +
      Mib(need.workspace) + ", communication " + Mib(need.communication) +
      "); this host has " + Mib(available_bytes) + " for " +
      std::to_string(local_ranks) +
      " ranks. A smaller train.micro_batch, train.recompute or a higher "
      "train.zero_stage needs less");
}

}  // namespace zs
