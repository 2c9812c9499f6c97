#include "engine/train/memory_check.h"

#include <algorithm>
#include <string>

#include "engine/api/gpu_footprint.h"

namespace zs {
namespace {

std::string Mib(int64_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

std::string Components(const MemoryBytes& need) {
  return "a rank needs " + Mib(need.total) + " (parameters " +
         Mib(need.parameters) + ", gradients " + Mib(need.gradients) +
         ", optimizer " + Mib(need.optimizer) + ", activations " +
         Mib(need.activations) + ", logits " + Mib(need.logits) +
         ", workspace " + Mib(need.workspace) + ", communication " +
         Mib(need.communication) + ")";
}

constexpr const char* kHelp =
    "A smaller train.micro_batch, train.recompute or a higher train.zero_stage "
    "needs less";

}  // namespace

Status CheckFits(const MemoryBytes& need, int local_ranks,
                 int64_t available_bytes) {
  if (need.total <= available_bytes / local_ranks) {
    return OkStatus();
  }
  return ResourceExhaustedError(
      Components(need) + "; this host has " + Mib(available_bytes) + " for " +
      std::to_string(local_ranks) + " ranks. " + kHelp);
}

Status CheckGpuFits(const MemoryBytes& need, int64_t used_bytes,
                    int64_t total_bytes) {
  // The context is in USED_BYTES already.
  const int64_t own = std::min(used_bytes, kGpuConstants[0].bytes);
  const int64_t free = total_bytes - used_bytes;
  if (need.total - own <= free + free / 50) {
    return OkStatus();
  }
  return ResourceExhaustedError(
      Components(need) + "; of this GPU's " + Mib(total_bytes) + " " +
      Mib(used_bytes - own) +
      " are in use by other processes (nvidia-smi lists them) and " +
      Mib(free) + " free. " + kHelp);
}

}  // namespace zs
