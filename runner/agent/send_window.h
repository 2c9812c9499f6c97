// Frames on their way over a connection that may break and be replaced.
#ifndef RUNNER_AGENT_SEND_WINDOW_H_
#define RUNNER_AGENT_SEND_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace zs {

// Keeps what was written until the peer says that it has it, so that over the
// next connection nothing is lost and nothing comes twice. Not thread-safe.
class SendWindow {
 public:
  // KEEP false: there will be no other connection, and what is written is
  // forgotten.
  explicit SendWindow(bool keep) : keep_(keep) {}

  // Queues a frame; NUMBERED as IsNumbered (message.h) says of its message.
  void Queue(std::string frame, bool numbered);

  // Queues a frame without a number, before all that waits.
  void QueueFirst(std::string frame);

  // What to write next: the rest of one frame; empty: nothing waits.
  std::string_view pending() const;
  // The same and what follows it, for one call of writev.
  std::vector<std::string_view> Pieces() const;
  // The first N bytes of what waits are written.
  void Written(size_t n);

  // The peer has the first COUNT numbered frames of all.
  void Acknowledge(int64_t count);

  // The same over a new connection: what is beyond is written again, and
  // frames without a number that waited are forgotten. False, and nothing has
  // changed: the peer cannot have that many, or says less than before.
  bool Resume(int64_t count);

  // Of frames that wait to be written or acknowledged.
  size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string frame;
    bool numbered = false;
  };
  void Forget(std::deque<Entry>& entries);

  bool keep_;
  std::deque<Entry> written_;  // numbered ones alone
  std::deque<Entry> unwritten_;
  size_t begin_ = 0;          // of the first one's bytes that are not written
  int64_t acknowledged_ = 0;  // numbered frames that are forgotten
  size_t bytes_ = 0;
};

}  // namespace zs

#endif  // RUNNER_AGENT_SEND_WINDOW_H_
