// From bytes as they come to whole lines, whatever the bytes are.
#ifndef RUNNER_OBSERVE_TEXT_LINES_H_
#define RUNNER_OBSERVE_TEXT_LINES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace zs {

// Cuts a stream into blocks of whole lines. Memory is bounded: of a line
// beyond kMaxLineBytes the first three quarters and the last quarter are kept,
// with " ...[N bytes]... " between. A stream that only ever prints carriage
// returns (a progress bar) is cut at those. Not thread-safe.
class LineAssembler {
 public:
  static constexpr size_t kMaxLineBytes = 64 * 1024;

  // Takes a block: whole lines, each with its line feed (the last one of the
  // stream may have none). Valid during the call only.
  using Sink = std::function<void(std::string_view)>;

  explicit LineAssembler(Sink sink) : sink_(std::move(sink)) {}

  void Feed(std::string_view bytes);

  // The stream has ended: what is left is a line too.
  void Finish();

  int64_t bytes() const { return bytes_; }
  int64_t cut_lines() const { return cut_lines_; }

 private:
  void Keep(std::string_view bytes);
  void FlushCarry();

  Sink sink_;
  std::string carry_;    // the start of a line that is not complete
  std::string tail_;     // its last bytes, where it is too long
  int64_t skipped_ = 0;  // bytes between carry_ and tail_
  int64_t bytes_ = 0;
  int64_t cut_lines_ = 0;  // lines that were too long
};

// The first byte below 0x20 other than a tab at or behind FROM; the size of
// TEXT where there is none.
size_t FirstControl(std::string_view text, size_t from = 0);

// TEXT without terminal control sequences (ESC [ ... letter, ESC ] ... BEL)
// and other bytes below 0x20 except tabs. Returns TEXT itself where there are
// none, else a view of BUFFER.
std::string_view WithoutControls(std::string_view text, std::string& buffer);

// TEXT as valid UTF-8 of at most MAX_BYTES, for quoting: bad bytes become
// U+FFFD, a cut is marked by "...".
std::string Quotable(std::string_view text, size_t max_bytes = 400);

}  // namespace zs

#endif  // RUNNER_OBSERVE_TEXT_LINES_H_
