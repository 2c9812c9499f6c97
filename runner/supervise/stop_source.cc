#include "runner/supervise/stop_source.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace zs {

Result<StopSource> StopSource::Create() {
  Descriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event.valid()) {
    return ErrnoError(errno, "eventfd");
  }
  return StopSource(std::move(event));
}

void StopSource::Stop(StopKind kind) {
  const int wanted = static_cast<int>(kind);
  int seen = kind_.load();
  while (seen < wanted && !kind_.compare_exchange_weak(seen, wanted)) {
  }
  const int saved_errno = errno;
  const uint64_t one = 1;
  (void)!::write(event_.get(), &one, sizeof one);
  errno = saved_errno;
}

void StopSource::Clear() const {
  uint64_t count = 0;
  (void)!::read(event_.get(), &count, sizeof count);
}

}  // namespace zs
