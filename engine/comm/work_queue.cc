#include "engine/comm/work_queue.h"

#include <utility>

namespace zs {

WorkQueue::WorkQueue() : thread_([this] { Run(); }) {}

WorkQueue::~WorkQueue() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

Work WorkQueue::Add(std::function<Status()> operation) {
  auto outcome = std::make_shared<Outcome>();
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.push_back({std::move(operation), outcome});
  changed_.notify_all();
  return Work(std::move(outcome));
}

void WorkQueue::Run() {
  Status first_error;
  for (;;) {
    Entry entry;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || !entries_.empty(); });
      if (stop_) {
        break;
      }
      entry = std::move(entries_.front());
      entries_.pop_front();
    }
    if (first_error.ok()) {
      first_error = entry.operation();
    }
    entry.outcome->Set(first_error);
  }
  for (const Entry& entry : entries_) {
    entry.outcome->Set(CancelledError("the communicator is closed"));
  }
}

}  // namespace zs
