// Lines of NCCL's that say again what their stream has said.
#ifndef RUNNER_OBSERVE_PARSE_REPEATS_H_
#define RUNNER_OBSERVE_PARSE_REPEATS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "runner/observe/parse/observation.h"
#include "runner/observe/text/literals.h"

namespace zs {

// Counts such lines instead of reading them: nine of ten lines of a large log
// tell channels, of which only host, transport and number matter. Bounded: of
// kMaxKinds kinds more are not known again. Not thread-safe.
class NcclRepeats {
 public:
  static constexpr size_t kMaxKinds = 2048;

  // WORDS finds what else a line could say; must outlive this.
  explicit NcclRepeats(const LiteralMatcher& words) : words_(words) {}

  // Whether LINE, which has no control characters, is one of a kind that was
  // asked for before, and now counted. A line that is not is to be read.
  bool Count(std::string_view line);

  // Delivers what was counted since the last call: of each kind its first line
  // once, with the number of lines.
  void Deliver(int source, int64_t line_number, ObservationSink& sink);

  // Forgets all kinds; what was counted must have been delivered.
  void Clear();

 private:
  static constexpr size_t kSlots = 2 * kMaxKinds;  // a power of 2

  struct Kind {
    std::string line;  // the first
    size_t word;       // where "NCCL INFO " stands in it
    std::string_view host;
    std::string_view what;  // both parts of LINE, or for ever
    int64_t waiting = 0;    // lines that are counted and not delivered
  };
  // A line taken apart.
  struct Parts {
    size_t word = 0;
    std::string_view host;
    std::string_view what;  // that its kind shares
  };

  bool Read(std::string_view line, Parts& parts) const;
  void Add(std::string_view line, const Parts& parts, size_t slot);

  const LiteralMatcher& words_;
  std::vector<uint16_t> slots_;    // index into kinds_, plus 1; 0: free
  std::deque<Kind> kinds_;         // never moved: LINE is pointed into
  std::vector<uint16_t> counted_;  // those with waiting lines
};

}  // namespace zs

#endif  // RUNNER_OBSERVE_PARSE_REPEATS_H_
