#include "engine/cuda/upload_ring.h"

#include <cstring>
#include <utility>

#include "engine/cuda/check.h"

namespace zs::gpu {

Result<PinnedBuffer> AllocatePinned(size_t bytes) {
  void* data = nullptr;
  ZS_RETURN_IF_CUDA_ERROR(cudaMallocHost(&data, bytes));
  return PinnedBuffer(data);
}

// A slot of at least BYTES from which nothing is to be copied any more.
Result<UploadRing::Slot*> UploadRing::NextSlot(size_t bytes) {
  if (slots_.size() < kSlots) {
    Slot slot;
    ASSIGN_OR_RETURN(slot.copied, Event::Create());
    slots_.push_back(std::move(slot));
    next_ = slots_.size() - 1;
  }
  Slot& slot = slots_[next_];
  next_ = (next_ + 1) % kSlots;
  RETURN_IF_ERROR(slot.copied.Wait());
  if (slot.bytes < bytes) {
    ASSIGN_OR_RETURN(slot.data, AllocatePinned(bytes));
    slot.bytes = bytes;
  }
  return &slot;
}

Status UploadRing::Upload(const void* source, void* device, size_t bytes,
                          cudaStream_t stream) {
  ASSIGN_OR_RETURN(Slot* const slot, NextSlot(bytes));
  std::memcpy(slot->data.get(), source, bytes);
  ZS_RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(device, slot->data.get(), bytes,
                                          cudaMemcpyHostToDevice, stream));
  return slot->copied.Record(stream);
}

}  // namespace zs::gpu
