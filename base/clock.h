// Time behind an interface, so that tests move it by hand.
#ifndef BASE_CLOCK_H_
#define BASE_CLOCK_H_

#include <cstdint>

namespace zs {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // Never goes back; for durations and deadlines.
  virtual int64_t monotonic_ns() const = 0;

  // Since 1970-01-01 UTC; may jump. For what people read.
  virtual int64_t unix_ms() const = 0;

  double monotonic_s() const {
    return static_cast<double>(monotonic_ns()) * 1e-9;
  }
};

// The machine's clocks. Lives for ever.
const Clock& RealClock();

}  // namespace zs

#endif  // BASE_CLOCK_H_
