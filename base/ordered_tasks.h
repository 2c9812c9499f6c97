// Tasks beside each other whose beginnings and ends are in order.
#ifndef BASE_ORDERED_TASKS_H_
#define BASE_ORDERED_TASKS_H_

#include <cstdint>
#include <functional>

#include "base/status.h"

namespace zs {

struct OrderedTasks {
  int64_t count = 0;
  int slots = 1;  // tasks at most at the same time, each on its own thread
  std::function<Status(int64_t)> before;  // may be empty
  std::function<void(int64_t)> task;
  std::function<Status(int64_t)> after;
};

// Runs before(i), task(i), after(i) for each i below `count`. `before` and
// `after` are called on this thread, each in the order of i; between the two of
// i lie those of no i + slots, so that buffer i % slots is i's own. Ends with
// their first error, after the tasks that were begun.
Status RunOrdered(const OrderedTasks& tasks);

}  // namespace zs

#endif  // BASE_ORDERED_TASKS_H_
