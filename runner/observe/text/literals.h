// Finds many fixed strings in one pass over a text: the filter in front of
// everything that reads a log, so that a line without a known word costs a
// few table look-ups and no regular expression.
#ifndef RUNNER_OBSERVE_TEXT_LITERALS_H_
#define RUNNER_OBSERVE_TEXT_LITERALS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
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
  LiteralMatcher(const LiteralMatcher&) = delete;
  LiteralMatcher& operator=(const LiteralMatcher&) = delete;

  struct Hit {
    size_t position = std::string_view::npos;  // of the first byte
    int literal = -1;                          // index; -1: nothing found
  };

  // The first occurrence that starts at or after FROM. Where several literals
  // start at one place the one with the smallest index is meant; Also() gives
  // the others.
  Hit Next(std::string_view text, size_t from) const;

  // The next literal after HIT's that starts at the same place, or -1.
  int Also(std::string_view text, const Hit& hit) const {
    return alone_[hit.literal] ? -1 : FirstIn(text, hit.position, hit.literal);
  }

  const std::string& literal(int index) const { return literals_[index]; }

 private:
  static constexpr int kBits = 14;
  // The slot of the three bytes before END.
  static uint32_t Slot(const char* end) {
    uint32_t bytes;
    std::memcpy(&bytes, end - 4, sizeof(bytes));
    if constexpr (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
      bytes >>= 8;
    } else {
      bytes &= 0xffffff;
    }
    return (bytes * 2654435761u) >> (32 - kBits);
  }
  int FirstIn(std::string_view text, size_t position, int after) const;

  struct Entry {
    uint64_t head;     // the first kMinLength bytes
    const char* tail;  // what follows them
    uint32_t tail_size;
    int literal;
  };
  static uint64_t Head(const char* start) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, start, kMinLength);
    return bytes;
  }

  // Few, so that the table stays in the fastest cache.
  static constexpr int kHeadBits = 10;
  static uint32_t HeadSlot(uint64_t head) {
    return static_cast<uint32_t>((head * 0x9e3779b97f4a7c15u) >>
                                 (64 - kHeadBits));
  }

  std::vector<std::string> literals_;
  std::vector<uint8_t> shift_;    // by slot: how far the window may jump
  std::vector<uint16_t> bucket_;  // by HeadSlot: where its entries start
  std::vector<Entry> entries_;    // sorted by HeadSlot, then by literal
  std::vector<char> alone_;       // by literal: no other starts like it
};

}  // namespace zs

#endif  // RUNNER_OBSERVE_TEXT_LITERALS_H_
