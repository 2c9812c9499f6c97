// Finds many fixed strings in one pass over a text: the filter in front of
// everything that reads a log, so that a line without a known word costs a
// few table look-ups and no regular expression.
#ifndef RUNNER_OBSERVE_TEXT_LITERALS_H_
#define RUNNER_OBSERVE_TEXT_LITERALS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zs {

// Wu and Manber's algorithm ("A fast algorithm for multi-pattern searching",
// TR 94-17, University of Arizona, 1994): a window of kMinLength bytes moves
// over the text, and a table says from its last three bytes how far it may
// jump. Immutable after construction and safe to share between threads.
class LiteralMatcher {
 public:
  // The shortest literal that can be searched for.
  static constexpr size_t kMinLength = 7;

  // LITERALS are known by their index; shorter ones are a programming error.
  explicit LiteralMatcher(std::vector<std::string> literals);

  struct Hit {
    size_t position = std::string_view::npos;  // of the first byte
    int literal = -1;                          // index; -1: nothing found
  };

  // The first occurrence that starts at or after FROM. Where several literals
  // start at one place the one with the smallest index is meant; Also() gives
  // the others.
  Hit Next(std::string_view text, size_t from) const;

  // The next literal after HIT's that starts at the same place, or -1.
  int Also(std::string_view text, const Hit& hit) const;

  const std::string& literal(int index) const { return literals_[index]; }

 private:
  static constexpr int kBits = 14;
  static uint32_t Slot(const char* end);
  int FirstIn(std::string_view text, size_t position, int after) const;

  std::vector<std::string> literals_;
  std::vector<uint8_t> shift_;        // by slot: how far the window may jump
  std::vector<std::vector<int>> at_;  // by slot: literals to compare
};

}  // namespace zs

#endif  // RUNNER_OBSERVE_TEXT_LITERALS_H_
