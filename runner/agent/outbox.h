// What waits to be sent to the runner. Takes the output of the processes at any
// speed and keeps it within bounds by cutting out the middle of a flood.
#ifndef RUNNER_AGENT_OUTBOX_H_
#define RUNNER_AGENT_OUTBOX_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/agent/message.h"
#include "runner/agent/send_window.h"

namespace zs {

class Outbox {
 public:
  // Above LIMIT_BYTES waiting, output is held back per stream; of what is held
  // back the newest TAIL_BYTES are kept.
  // KEEP as in SendWindow; what waits for the runner's receipt counts as
  // waiting.
  explicit Outbox(bool keep = false, size_t limit_bytes = size_t{8} << 20,
                  size_t tail_bytes = size_t{256} << 10)
      : window_(keep), limit_bytes_(limit_bytes), tail_bytes_(tail_bytes) {}

  // Queues a message that is not output. One that is not numbered goes before
  // all that waits.
  void Send(const Message& message);

  // Queues output, or holds it back. Order within a stream is kept.
  void Output(int64_t id, int64_t stream, int64_t unix_us,
              std::string_view bytes);

  // Queues what is held back of process ID, whatever waits: its last lines must
  // arrive before its end is told.
  void Flush(int64_t id);

  // What to write next; the first N bytes of it have been written.
  std::string_view pending() const { return window_.pending(); }
  std::vector<std::string_view> Pieces() const { return window_.Pieces(); }
  void Written(size_t n);

  // As in SendWindow.
  void Acknowledge(int64_t count);
  bool Resume(int64_t count) { return window_.Resume(count); }

  size_t waiting_bytes() const { return window_.bytes(); }

  // Throws everything away: nobody reads any more.
  void Discard();

 private:
  // Output of one stream that is held back.
  struct Held {
    std::string tail;
    int64_t dropped_bytes = 0;  // cut off the front of `tail`
    int64_t unix_us = 0;        // of the newest byte
  };
  using Stream = std::pair<int64_t, int64_t>;  // id, stream

  void Queue(const Stream& stream, Held held);
  void TakeHeld();

  SendWindow window_;
  size_t limit_bytes_;
  size_t tail_bytes_;
  std::map<Stream, Held> held_;
};

}  // namespace zs

#endif  // RUNNER_AGENT_OUTBOX_H_
