#include "base/ordered_tasks.h"

#include <deque>
#include <future>

namespace zs {

Status RunOrdered(const OrderedTasks& tasks) {
  std::deque<std::future<void>> running;  // their destructors wait
  int64_t ended = 0;
  const auto end_one = [&] {
    running.front().get();
    running.pop_front();
    return tasks.after(ended++);
  };
  for (int64_t i = 0; i < tasks.count; ++i) {
    if (std::ssize(running) == tasks.slots) {
      RETURN_IF_ERROR(end_one());
    }
    if (tasks.before) {
      RETURN_IF_ERROR(tasks.before(i));
    }
    running.push_back(std::async(std::launch::async, tasks.task, i));
  }
  while (!running.empty()) {
    RETURN_IF_ERROR(end_one());
  }
  return OkStatus();
}

}  // namespace zs
