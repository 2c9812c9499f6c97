// The handle of an operation that runs beside the caller.
#ifndef ENGINE_COMM_WORK_H_
#define ENGINE_COMM_WORK_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/status.h"

namespace zs {

// Where an operation leaves its status. Thread-safe.
class Outcome {
 public:
  virtual ~Outcome() = default;

  void Set(Status status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    status_ = std::move(status);
    changed_.notify_all();
  }

  // Waits until Set was called. Virtual, for devices that wait otherwise.
  virtual Status Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return status_.has_value(); });
    return *status_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Status> status_;
};

// A value: copies wait for the same operation. The default one is done.
class Work {
 public:
  Work() = default;
  explicit Work(Status status) : status_(std::move(status)) {}
  explicit Work(std::shared_ptr<Outcome> outcome)
      : outcome_(std::move(outcome)) {}

  // Waits until the operation has ended; its status, whenever asked.
  Status Wait() const { return outcome_ ? outcome_->Wait() : status_; }

  // Whether there may be something to wait for.
  bool pending() const { return outcome_ != nullptr; }

 private:
  Status status_;
  std::shared_ptr<Outcome> outcome_;
};

}  // namespace zs

#endif  // ENGINE_COMM_WORK_H_
