// When a device comes to what it was given.
#ifndef ENGINE_OPS_DEVICE_CLOCK_H_
#define ENGINE_OPS_DEVICE_CLOCK_H_

#include <chrono>
#include <cstdint>

namespace zs {

// From mark to mark.
struct MarkedSpan {
  int64_t begin = 0;
  int64_t end = 0;
};

// Here as of a device that has done everything when it is asked: the host.
class DeviceClock {
 public:
  virtual ~DeviceClock() = default;

  // A point in the order of the device's work; does not wait. Marks go up.
  virtual int64_t Mark() {
    return std::chrono::steady_clock::now().time_since_epoch() /
           std::chrono::nanoseconds(1);
  }
  // Milliseconds from when the device came to BEGIN to when it came to END;
  // waits for that.
  virtual double MsBetween(int64_t begin, int64_t end) {
    return static_cast<double>(end - begin) * 1e-6;
  }
  // Marks below END are not asked for any more.
  virtual void ReleaseMarks(int64_t /*end*/) {}
};

}  // namespace zs

#endif  // ENGINE_OPS_DEVICE_CLOCK_H_
