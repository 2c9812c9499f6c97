// Bytes in, whole lines out.
#ifndef RUNNER_BACKEND_LINE_SPLITTER_H_
#define RUNNER_BACKEND_LINE_SPLITTER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace zs {

// Not thread-safe. Holds at most one line of MAX_BYTES; of a longer one only
// its first MAX_BYTES are given.
class LineSplitter {
 public:
  using Callback = std::function<void(std::string_view line)>;

  explicit LineSplitter(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Calls ON_LINE for each line that BYTES complete, without its line feed.
  void Add(std::string_view bytes, const Callback& on_line);

  // Something was lost: forgets the line in hand, and the rest of it to come.
  void Break();

  // Gives what is left as a line, if anything is.
  void Finish(const Callback& on_line);

 private:
  void Keep(std::string_view part);

  size_t max_bytes_;
  std::string line_;
  bool skip_ = false;  // until the next line feed
};

}  // namespace zs

#endif  // RUNNER_BACKEND_LINE_SPLITTER_H_
