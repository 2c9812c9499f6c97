// A request to end a run that may come from a signal handler.
#ifndef RUNNER_SUPERVISE_STOP_SOURCE_H_
#define RUNNER_SUPERVISE_STOP_SOURCE_H_

#include <atomic>
#include <utility>

#include "base/descriptor.h"
#include "base/status.h"

namespace zs {

enum class StopKind {
  kNone = 0,
  kGently = 1,  // TERM, the request's grace, KILL
  kNow = 2,     // KILL at once
};

// Outlives the runs that it may stop. Once stopped it stays so, and later runs
// end before they start.
class StopSource {
 public:
  static Result<StopSource> Create();

  StopSource(StopSource&& other) noexcept
      : event_(std::move(other.event_)), kind_(other.kind_.load()) {}

  // Async-signal-safe and thread-safe. A stronger kind replaces a weaker one.
  void Stop(StopKind kind);

  // Makes fd() wait for the next Stop; kind() stays.
  void Clear() const;

  StopKind kind() const { return static_cast<StopKind>(kind_.load()); }

  // Readable after a call of Stop until Clear is called.
  int fd() const { return event_.get(); }

 private:
  explicit StopSource(Descriptor event) : event_(std::move(event)) {}

  Descriptor event_;
  std::atomic<int> kind_ = 0;
};

}  // namespace zs

#endif  // RUNNER_SUPERVISE_STOP_SOURCE_H_
