// Where a rank's events go.
#ifndef ENGINE_TRAIN_EVENT_WRITER_H_
#define ENGINE_TRAIN_EVENT_WRITER_H_

#include <string>

#include "base/status.h"
#include "engine/api/event.h"

namespace zs {

// Writes events to a file descriptor, each line by one write(2), so that the
// lines of ranks that share a pipe do not mix. SIGPIPE must be ignored. Not
// thread-safe; does not own the descriptor.
class EventWriter {
 public:
  explicit EventWriter(int fd) : fd_(fd) {}

  // kCancelled where nobody reads any more.
  Status Write(const Event& event);

 private:
  int fd_;
};

}  // namespace zs

#endif  // ENGINE_TRAIN_EVENT_WRITER_H_
