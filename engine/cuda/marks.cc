#include "engine/cuda/marks.h"

#include <string>
#include <utility>

namespace zs::gpu {

Result<int64_t> Marks::Add(cudaStream_t stream) {
  Event event;
  if (spare_.empty()) {
    ASSIGN_OR_RETURN(event, Event::Create());
  } else {
    event = std::move(spare_.back());
    spare_.pop_back();
  }
  RETURN_IF_ERROR(event.Record(stream));
  kept_.push_back(std::move(event));
  return first_ + std::ssize(kept_) - 1;
}

Result<const Event*> Marks::Find(int64_t mark) const {
  const int64_t at = mark - first_;
  if (at < 0 || at >= std::ssize(kept_)) {
    return InvalidArgumentError("mark " + std::to_string(mark) +
                                " was released or never made");
  }
  return &kept_[at];
}

Result<float> Marks::MsBetween(int64_t begin, int64_t end) const {
  ASSIGN_OR_RETURN(const Event* const first, Find(begin));
  ASSIGN_OR_RETURN(const Event* const last, Find(end));
  return last->MillisecondsSince(*first);
}

Status Marks::Wait(int64_t mark) const {
  ASSIGN_OR_RETURN(const Event* const event, Find(mark));
  return event->Wait();
}

void Marks::Release(int64_t end) {
  while (!kept_.empty() && first_ < end) {
    spare_.push_back(std::move(kept_.front()));
    kept_.pop_front();
    ++first_;
  }
}

}  // namespace zs::gpu
