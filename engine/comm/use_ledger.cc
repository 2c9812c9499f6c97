#include "engine/comm/use_ledger.h"

#include <algorithm>
#include <string>
#include <utility>

namespace zs {

// Called with mutex_ held.
CommUse& UseLedger::UseOf(int64_t period, std::string_view op) {
  Uses& uses = periods_[period - first_];
  const auto found = uses.find(op);
  if (found != uses.end()) {
    return found->second;
  }
  const std::string name(op);
  return uses.emplace(name, CommUse{name}).first->second;
}

int64_t UseLedger::Queued(std::string_view op, int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const int64_t period = first_ + std::ssize(periods_) - 1;
  CommUse& use = UseOf(period, op);
  ++use.calls;
  use.bytes += bytes;
  return period;
}

void UseLedger::Ended(int64_t period, std::string_view op, double ms) {
  const std::lock_guard<std::mutex> lock(mutex_);
  UseOf(std::max(period, first_), op).ms += ms;
}

void UseLedger::EndPeriod() {
  const std::lock_guard<std::mutex> lock(mutex_);
  periods_.emplace_back();
}

std::vector<CommUse> UseLedger::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<CommUse> oldest;
  for (auto& [op, use] : periods_.front()) {
    oldest.push_back(std::move(use));
  }
  periods_.pop_front();
  ++first_;
  if (periods_.empty()) {
    periods_.emplace_back();
  }
  return oldest;
}

}  // namespace zs
