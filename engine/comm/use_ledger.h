// Traffic of collective operations by step.
#ifndef ENGINE_COMM_USE_LEDGER_H_
#define ENGINE_COMM_USE_LEDGER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/event.h"

namespace zs {

// Operations belong to the period in which they were queued; the time of one
// that ends after that was taken, to the oldest that is left. Thread-safe.
class UseLedger {
 public:
  // An operation OP that sends BYTES; its period, for Ended.
  int64_t Queued(std::string_view op, int64_t bytes);
  // An operation of PERIOD has taken MS.
  void Ended(int64_t period, std::string_view op, double ms);

  // What is queued from here on belongs to the next period.
  void EndPeriod();
  // The oldest period by name, which is ended where it is the current one.
  std::vector<CommUse> Take();

 private:
  using Uses = std::map<std::string, CommUse, std::less<>>;
  CommUse& UseOf(int64_t period, std::string_view op);

  std::mutex mutex_;
  int64_t first_ = 0;  // number of periods_.front()
  std::deque<Uses> periods_{1};
};

}  // namespace zs

#endif  // ENGINE_COMM_USE_LEDGER_H_
