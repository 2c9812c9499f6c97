#include "engine/cuda/memory.h"

#include <string>

#include "engine/cuda/check.h"

namespace zs::gpu {
namespace {

std::string MiB(size_t bytes) {
  return std::to_string(bytes / (size_t{1} << 20)) + " MiB";
}

}  // namespace

Result<DeviceBuffer> DeviceBuffer::Create(size_t bytes, const char* what) {
  DeviceBuffer buffer;
  if (bytes == 0) {
    return buffer;
  }
  const cudaError_t error = cudaMalloc(&buffer.data_, bytes);
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();  // it would show at the next launch
    size_t free = 0;
    size_t total = 0;
    (void)cudaMemGetInfo(&free, &total);
    return ResourceExhaustedError(
        std::string(what) + " needs " + std::to_string(bytes) + " bytes (" +
        MiB(bytes) + ") of GPU memory; " + MiB(free) + " of " + MiB(total) +
        " are free. A smaller train.micro_batch, train.recompute or a higher "
        "train.zero_stage needs less.");
  }
  RETURN_IF_ERROR(ToStatus(error, what));
  buffer.bytes_ = bytes;
  return buffer;
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  if (this != &other) {
    Reset();
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

Status DeviceBuffer::Grow(size_t bytes, const char* what) {
  if (bytes <= bytes_) {
    return OkStatus();
  }
  ZS_RETURN_IF_CUDA_ERROR(cudaDeviceSynchronize());
  Reset();
  ASSIGN_OR_RETURN(*this, Create(bytes, what));
  return OkStatus();
}

void DeviceBuffer::Reset() {
  if (data_ != nullptr) {
    (void)cudaFree(data_);
  }
  data_ = nullptr;
  bytes_ = 0;
}

Result<Stream> Stream::Create() {
  Stream stream;
  ZS_RETURN_IF_CUDA_ERROR(
      cudaStreamCreateWithFlags(&stream.stream_, cudaStreamNonBlocking));
  return stream;
}

Stream& Stream::operator=(Stream&& other) noexcept {
  if (this != &other) {
    Reset();
    stream_ = std::exchange(other.stream_, nullptr);
  }
  return *this;
}

Status Stream::Wait() const {
  return ToStatus(cudaStreamSynchronize(stream_), "wait for the stream");
}

void Stream::Reset() {
  if (stream_ != nullptr) {
    (void)cudaStreamDestroy(stream_);
  }
  stream_ = nullptr;
}

Result<Event> Event::Create() {
  Event event;
  ZS_RETURN_IF_CUDA_ERROR(cudaEventCreate(&event.event_));
  return event;
}

Event& Event::operator=(Event&& other) noexcept {
  if (this != &other) {
    Reset();
    event_ = std::exchange(other.event_, nullptr);
  }
  return *this;
}

Status Event::Record(cudaStream_t stream) const {
  return ToStatus(cudaEventRecord(event_, stream), "record an event");
}

Status Event::Wait() const {
  return ToStatus(cudaEventSynchronize(event_), "wait for an event");
}

Status Event::Block(cudaStream_t stream) const {
  return ToStatus(cudaStreamWaitEvent(stream, event_), "wait for an event");
}

Result<float> Event::MillisecondsSince(const Event& begin) const {
  ZS_RETURN_IF_CUDA_ERROR(cudaEventSynchronize(event_));
  float ms = 0;
  ZS_RETURN_IF_CUDA_ERROR(cudaEventElapsedTime(&ms, begin.event_, event_));
  return ms;
}

void Event::Reset() {
  if (event_ != nullptr) {
    (void)cudaEventDestroy(event_);
  }
  event_ = nullptr;
}

}  // namespace zs::gpu
