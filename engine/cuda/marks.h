// Points in a stream by number.
#ifndef ENGINE_CUDA_MARKS_H_
#define ENGINE_CUDA_MARKS_H_

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "base/status.h"
#include "engine/cuda/memory.h"

namespace zs::gpu {

// Events numbered from 0 up, each kept until it is released and then used
// again.
class Marks {
 public:
  // The number of a new one, recorded on STREAM.
  Result<int64_t> Add(cudaStream_t stream);

  // kInvalidArgument for a mark that was released or never made.
  Result<float> MsBetween(int64_t begin, int64_t end) const;
  Status Wait(int64_t mark) const;

  // Those below END are not asked for any more.
  void Release(int64_t end);

 private:
  Result<const Event*> Find(int64_t mark) const;

  int64_t first_ = 0;  // number of kept_.front()
  std::deque<Event> kept_;
  std::vector<Event> spare_;
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_MARKS_H_
