// A clock that stands still until it is moved.
#ifndef BASE_FAKE_CLOCK_H_
#define BASE_FAKE_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace zs {

// Thread-safe. Starts at 0 ns and 1,700,000,000,000 ms of Unix time.
class FakeClock final : public Clock {
 public:
  void Advance(int64_t ns) { now_ns_ += ns; }

  int64_t monotonic_ns() const override { return now_ns_; }
  int64_t unix_ms() const override {
    return 1'700'000'000'000 + now_ns_ / 1'000'000;
  }

 private:
  std::atomic<int64_t> now_ns_ = 0;
};

}  // namespace zs

#endif  // BASE_FAKE_CLOCK_H_
