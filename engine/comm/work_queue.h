// A thread that carries out operations in the order in which they came.
#ifndef ENGINE_COMM_WORK_QUEUE_H_
#define ENGINE_COMM_WORK_QUEUE_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "base/status.h"
#include "engine/comm/work.h"

namespace zs {

// Thread-safe. After the first error no operation is started any more: all end
// with its status. The destructor waits for the operation under way and drops
// the rest.
class WorkQueue {
 public:
  WorkQueue();
  ~WorkQueue();

  Work Add(std::function<Status()> operation);

 private:
  struct Entry {
    std::function<Status()> operation;
    std::shared_ptr<Outcome> outcome;
  };

  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace zs

#endif  // ENGINE_COMM_WORK_QUEUE_H_
