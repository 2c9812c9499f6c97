// A place in a text that moves forward: the small words of which the log
// parsers are made. Nothing here allocates.
#ifndef RUNNER_OBSERVE_TEXT_CURSOR_H_
#define RUNNER_OBSERVE_TEXT_CURSOR_H_

#include <charconv>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace zs {

inline bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  bool empty() const { return rest_.empty(); }

  void Skip(size_t count) {
    rest_.remove_prefix(count < rest_.size() ? count : rest_.size());
  }

  void SkipBlanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) {
      rest_.remove_prefix(1);
    }
  }

  // Drops one blank, so that the indentation behind a prefix stays visible.
  void SkipBlanksButOne() {
    if (!rest_.empty() && rest_[0] == ' ') {
      rest_.remove_prefix(1);
    }
  }

  // Moves past WORD if it stands here. Inlined, so that a WORD of known length
  // is compared without a call.
  [[gnu::always_inline]] bool Take(std::string_view word) {
    if (rest_.size() < word.size() ||
        std::memcmp(rest_.data(), word.data(), word.size()) != 0) {
      return false;
    }
    rest_.remove_prefix(word.size());
    return true;
  }

  // What stands before WORD (all where there is none); WORD itself stays.
  std::string_view Until(std::string_view word) {
    const size_t end = rest_.find(word);
    const std::string_view taken = rest_.substr(0, end);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  // Moves just behind the next WORD; false, and nowhere, where there is none.
  bool TakeThrough(std::string_view word) {
    const size_t at = rest_.find(word);
    if (at == std::string_view::npos) {
      return false;
    }
    rest_.remove_prefix(at + word.size());
    return true;
  }

  // Moves just behind the next C, which must stand within 32 bytes.
  bool TakePast(char c) {
    for (size_t at = 0; at < rest_.size() && at < 32; ++at) {
      if (rest_[at] == c) {
        rest_.remove_prefix(at + 1);
        return true;
      }
    }
    return false;
  }

  // A number after optional blanks; VALUE stays where there is none.
  template <typename T>
  bool TakeNumber(T& value) {
    SkipBlanks();
    return TakeInt(value);
  }

  // A number right here.
  template <typename T>
  bool TakeInt(T& value) {
    const char* end = rest_.data() + rest_.size();
    const auto result = std::from_chars(rest_.data(), end, value);
    if (result.ec != std::errc()) {
      return false;
    }
    rest_.remove_prefix(static_cast<size_t>(result.ptr - rest_.data()));
    return true;
  }

  // A run of bytes other than blanks, after optional blanks.
  std::string_view TakeWord() {
    SkipBlanks();
    size_t end = 0;
    while (end < rest_.size() && rest_[end] != ' ' && rest_[end] != '\t') {
      ++end;
    }
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }

 private:
  std::string_view rest_;
};

}  // namespace zs

#endif  // RUNNER_OBSERVE_TEXT_CURSOR_H_
