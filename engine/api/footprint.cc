#include "engine/api/footprint.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/api/activations.h"
#include "engine/api/gpu_footprint.h"
#include "engine/api/layout.h"

namespace zs {
namespace {

constexpr int64_t kFloatBytes = 4;
// What the communicator holds for each peer: three chunks of 256 KiB.
constexpr int64_t kStagingBytes = 3 * (int64_t{256} << 10);

// Sizes of all units, padded for WORLD_SIZE ranks.
std::vector<int64_t> PaddedUnits(const ModelConfig& model, int world_size) {
  std::vector<int64_t> sizes;
  for (const Unit& unit : Layout(model)) {
    sizes.push_back(PaddedSize(unit.size, world_size));
  }
  return sizes;
}

// Elements of the buffers in which gradients travel: one for the embeddings,
// one for the head, and two that the layers take in turn.
int64_t InFlight(const std::vector<int64_t>& padded) {
  const auto layers = static_cast<int64_t>(padded.size()) - 2;
  const int64_t largest =
      layers == 0 ? 0 : *std::max_element(padded.begin() + 1, padded.end() - 1);
  return padded.front() + padded.back() +
         std::min<int64_t>(layers, 2) * largest;
}

void AddStates(const RunConfig& config, int world_size, MemoryBytes* memory) {
  const TrainConfig& train = config.train;
  const std::vector<int64_t> padded = PaddedUnits(config.model, world_size);
  int64_t bytes = 0;
  for (int64_t size : padded) {
    bytes += size * kFloatBytes;
  }
  const bool sharded_gradients = train.zero_stage == 2;
  // In bf16 the model reads a rounded copy.
  memory->parameters = train.dtype == "bf16" ? bytes + bytes / 2 : bytes;
  memory->gradients = sharded_gradients ? bytes / world_size : bytes;
  memory->optimizer = 2 * (train.zero_stage == 0 ? bytes : bytes / world_size);
  if (world_size <= 1) {
    return;
  }
  memory->communication =
      config.device == "cuda" ? 0 : (world_size - 1) * kStagingBytes;
  // Where gradients are reduced after each of several micro-batches, they add
  // up elsewhere than where they are made.
  const bool each = train.deterministic && Accumulation(train, world_size) > 1;
  if (sharded_gradients || each) {
    memory->communication += InFlight(padded) * kFloatBytes;
    if (config.device == "cuda" && Accumulation(train, world_size) > 1) {
      // NCCL replaces what it writes: a sum comes here before it is added.
      const int64_t largest = *std::max_element(padded.begin(), padded.end());
      memory->communication +=
          (train.zero_stage == 0 ? largest : largest / world_size) *
          kFloatBytes;
    }
  }
}

// What cudaMalloc adds to the buffers of states, gradients in flight and
// activations.
int64_t PageRests(const RunConfig& config, int world_size,
                  const std::array<BufferPlan, kBufferCount>& plan) {
  const TrainConfig& train = config.train;
  int64_t rest = 0;
  for (const int64_t size : PaddedUnits(config.model, world_size)) {
    const int64_t whole = size * kFloatBytes;
    const int64_t shard = whole / world_size;
    rest += GpuPageRest(whole) + GpuPageRest(whole / 2) +
            GpuPageRest(train.zero_stage == 2 ? shard : whole) +
            2 * GpuPageRest(train.zero_stage == 0 ? whole : shard);
  }
  for (const BufferPlan& buffer : plan) {
    rest += GpuPageRest(buffer.bytes());
  }
  return rest;
}

}  // namespace

MemoryBytes PredictMemory(const RunConfig& config, int world_size) {
  MemoryBytes memory;
  AddStates(config, world_size, &memory);
  const auto plan = PlanBuffers(config.model, config.train);
  for (const BufferPlan& buffer : plan) {
    memory.activations += buffer.bytes();
  }
  memory.logits = plan[static_cast<size_t>(Buffer::kLogits)].bytes();
  memory.activations -= memory.logits;
  const bool gpu = config.device == "cuda";
  memory.workspace =
      gpu ? GpuWorkspaceBytes(config.model, config.train)
          : CpuWorkspaceBytes(config.model, config.train,
                              std::max(config.threads_per_rank, 1));
  memory.total = memory.parameters + memory.gradients + memory.optimizer +
                 memory.activations + memory.logits + memory.workspace +
                 memory.communication;
  if (gpu) {
    memory.total +=
        PageRests(config, world_size, plan) + GpuConstantBytes(world_size);
  }
  return memory;
}

}  // namespace zs
