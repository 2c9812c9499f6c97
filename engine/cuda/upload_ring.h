// Small uploads that the host need not wait for.
#ifndef ENGINE_CUDA_UPLOAD_RING_H_
#define ENGINE_CUDA_UPLOAD_RING_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "base/status.h"
#include "engine/cuda/memory.h"

namespace zs::gpu {

// Page-locked memory, freed with its owner.
struct PinnedDeleter {
  void operator()(void* data) const { (void)cudaFreeHost(data); }
};
using PinnedBuffer = std::unique_ptr<void, PinnedDeleter>;
Result<PinnedBuffer> AllocatePinned(size_t bytes);

// Copies go through page-locked slots that are used in turn: from pageable
// memory the driver would wait for all that the stream holds.
class UploadRing {
 public:
  static constexpr size_t kMaxBytes = size_t{4} << 20;  // of one upload

  // Queues BYTES (at most kMaxBytes) on STREAM; SOURCE may be changed when it
  // returns. Waits where all slots are still to be copied from.
  Status Upload(const void* source, void* device, size_t bytes,
                cudaStream_t stream);

 private:
  static constexpr size_t kSlots = 16;
  struct Slot {
    PinnedBuffer data;
    size_t bytes = 0;
    Event copied;
  };

  Result<Slot*> NextSlot(size_t bytes);

  std::vector<Slot> slots_;
  size_t next_ = 0;
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_UPLOAD_RING_H_
