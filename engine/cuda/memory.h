// Owners of device memory, streams and events.
#ifndef ENGINE_CUDA_MEMORY_H_
#define ENGINE_CUDA_MEMORY_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

#include "base/status.h"

namespace zs::gpu {

// BYTES of the current device's memory. Moves, does not copy.
class DeviceBuffer {
 public:
  // kResourceExhausted names WHAT, the bytes asked for and those free. Zero
  // bytes give an empty buffer.
  static Result<DeviceBuffer> Create(size_t bytes, const char* what);

  DeviceBuffer() = default;
  ~DeviceBuffer() { Reset(); }
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  void* data() const { return data_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  size_t bytes() const { return bytes_; }

  // Makes the buffer at least this large; its contents are lost if it grows.
  // Waits for the device then, since kernels may still use the old memory.
  Status Grow(size_t bytes, const char* what);

 private:
  void Reset();

  void* data_ = nullptr;
  size_t bytes_ = 0;
};

// A stream that does not wait for the default stream.
class Stream {
 public:
  static Result<Stream> Create();

  Stream() = default;
  ~Stream() { Reset(); }
  Stream(Stream&& other) noexcept { *this = std::move(other); }
  Stream& operator=(Stream&& other) noexcept;

  cudaStream_t get() const { return stream_; }
  Status Wait() const;

 private:
  void Reset();

  cudaStream_t stream_ = nullptr;
};

// A point in a stream, with its time.
class Event {
 public:
  static Result<Event> Create();

  Event() = default;
  ~Event() { Reset(); }
  Event(Event&& other) noexcept { *this = std::move(other); }
  Event& operator=(Event&& other) noexcept;

  cudaEvent_t get() const { return event_; }
  Status Record(cudaStream_t stream) const;
  // Waits until it is reached; at once where it was never recorded.
  Status Wait() const;
  // What STREAM gets from now on begins after this event.
  Status Block(cudaStream_t stream) const;
  // From BEGIN to this event; waits for it.
  Result<float> MillisecondsSince(const Event& begin) const;

 private:
  void Reset();

  cudaEvent_t event_ = nullptr;
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_MEMORY_H_
