#include "engine/zero/parameter_blocks.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "base/ordered_tasks.h"
#include "engine/model/initialize.h"
#include "engine/ops/pinned.h"

namespace zs {
namespace {

// A buffer for each of the blocks that are under way.
Result<std::vector<Pinned<float>>> Buffers(Ops& ops, int64_t count,
                                           int64_t elements) {
  std::vector<Pinned<float>> buffers;
  for (int64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Pinned<float> buffer,
                     AllocatePinned<float>(ops, elements));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

// Blocks under way at once: no more than there are, and one at least.
int SlotsFor(const std::vector<ParameterBlock>& blocks, int threads) {
  return static_cast<int>(
      std::min<int64_t>(threads, std::max<int64_t>(std::ssize(blocks), 1)));
}

int64_t LargestOf(const std::vector<ParameterBlock>& blocks) {
  int64_t largest = 0;
  for (const ParameterBlock& block : blocks) {
    largest = std::max(largest, block.size);
  }
  return largest;
}

}  // namespace

std::vector<ParameterBlock> BlocksOf(const std::vector<Unit>& units) {
  std::vector<ParameterBlock> blocks;
  for (size_t u = 0; u < units.size(); ++u) {
    for (int64_t at = 0; at < units[u].size; at += kBlockElements) {
      blocks.push_back({static_cast<int>(u), at,
                        std::min(kBlockElements, units[u].size - at)});
    }
  }
  return blocks;
}

Status InitializeParameters(const ModelConfig& model, uint64_t seed,
                            int threads, ShardedUnits& units, Ops& ops) {
  const std::vector<ParameterBlock> blocks = BlocksOf(units.units());
  const int slots = SlotsFor(blocks, threads);
  std::vector<std::vector<float>> buffers(slots);
  for (std::vector<float>& buffer : buffers) {
    buffer.resize(LargestOf(blocks));
  }
  RETURN_IF_ERROR(RunOrdered(
      {.count = std::ssize(blocks),
       .slots = slots,
       .before = {},
       .task =
           [&](int64_t i) {
             const ParameterBlock& block = blocks[i];
             InitializeRange(model, {units.units()[block.unit], block.unit},
                             seed, {block.begin, block.begin + block.size},
                             buffers[i % slots].data());
           },
       .after =
           [&](int64_t i) {
             const ParameterBlock& block = blocks[i];
             ops.Upload(buffers[i % slots].data(),
                        units.parameters(block.unit) + block.begin,
                        block.size * static_cast<int64_t>(sizeof(float)));
             return OkStatus();
           }}));
  return ops.Finish();
}

Result<std::string> ParametersSha256(int threads, ShardedUnits& units,
                                     Ops& ops) {
  RETURN_IF_ERROR(units.Settle());
  const std::vector<ParameterBlock> blocks = BlocksOf(units.units());
  const int slots = SlotsFor(blocks, threads);
  ASSIGN_OR_RETURN(const std::vector<Pinned<float>> buffers,
                   Buffers(ops, slots, LargestOf(blocks)));
  std::vector<std::string> digests(blocks.size());
  Sha256 all;
  const auto bytes = [&](int64_t i) {
    return static_cast<size_t>(blocks[i].size) * sizeof(float);
  };
  RETURN_IF_ERROR(RunOrdered(
      {.count = std::ssize(blocks),
       .slots = slots,
       .before =
           [&](int64_t i) {
             return ops.Download(
                 units.parameters(blocks[i].unit) + blocks[i].begin,
                 buffers[i % slots].get(), static_cast<int64_t>(bytes(i)));
           },
       .task =
           [&](int64_t i) {
             digests[i] = Sha256Hex(std::string_view(
                 reinterpret_cast<const char*>(buffers[i % slots].get()),
                 bytes(i)));
           },
       .after =
           [&](int64_t i) {
             all.Update(digests[i]);
             return OkStatus();
           }}));
  return all.HexDigest();
}

}  // namespace zs
