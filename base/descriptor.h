// File descriptors that close themselves.
#ifndef BASE_DESCRIPTOR_H_
#define BASE_DESCRIPTOR_H_

#include <utility>

#include "base/status.h"

namespace zs {

// Owns a file descriptor, or none (-1). Movable.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Reset(std::exchange(other.fd_, -1));
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Reset(); }

  bool valid() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }
  void Reset(int fd = -1);

 private:
  int fd_ = -1;
};

// Both ends of a pipe, closed on exec.
struct Pipe {
  Descriptor read;
  Descriptor write;
};
Result<Pipe> MakePipe();

// Makes reads and writes of FD return EAGAIN instead of blocking.
Status SetNonBlocking(int fd);

}  // namespace zs

#endif  // BASE_DESCRIPTOR_H_
