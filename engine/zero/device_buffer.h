// Memory of a device that frees itself.
#ifndef ENGINE_ZERO_DEVICE_BUFFER_H_
#define ENGINE_ZERO_DEVICE_BUFFER_H_

#include <cstdint>
#include <span>
#include <utility>

#include "base/status.h"
#include "engine/ops/ops.h"
#include "engine/ops/tensor.h"

namespace zs {

// Owns a number of fp32 elements of an Ops, which outlives it. Movable.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  // COUNT zeros. kResourceExhausted says what could not be had.
  static Result<DeviceBuffer> Zeros(Ops& ops, int64_t count) {
    ASSIGN_OR_RETURN(void* data,
                     ops.Allocate(count * static_cast<int64_t>(sizeof(float))));
    DeviceBuffer buffer(ops, static_cast<float*>(data), count);
    ops.Zero(View(data, 1, count));
    return buffer;
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) {
      ops_->Free(data_);
    }
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : ops_(other.ops_),
        data_(std::exchange(other.data_, nullptr)),
        count_(std::exchange(other.count_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(ops_, other.ops_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }

  float* data() const { return data_; }
  int64_t count() const { return count_; }
  int64_t bytes() const { return count_ * 4; }
  std::span<float> span() const { return {data_, static_cast<size_t>(count_)}; }

 private:
  DeviceBuffer(Ops& ops, float* data, int64_t count)
      : ops_(&ops), data_(data), count_(count) {}

  Ops* ops_ = nullptr;
  float* data_ = nullptr;
  int64_t count_ = 0;
};

}  // namespace zs

#endif  // ENGINE_ZERO_DEVICE_BUFFER_H_
