#include "engine/train/event_writer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace zs {

Status EventWriter::Write(const Event& event) {
  const std::string line = EventLine(event) + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t n = ::write(fd_, rest.data(), rest.size());
    if (n >= 0) {
      rest.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd entry = {fd_, POLLOUT, 0};
      ::poll(&entry, 1, -1);
    } else if (errno == EPIPE) {
      return CancelledError(
          "stdout is closed: nobody reads this rank's events any more");
    } else if (errno != EINTR) {
      return ErrnoError(errno, "write an event to stdout");
    }
  }
  return OkStatus();
}

}  // namespace zs
