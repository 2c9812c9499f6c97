// Python tracebacks, several ranks at a time.
#ifndef RUNNER_OBSERVE_PARSE_TRACEBACK_H_
#define RUNNER_OBSERVE_PARSE_TRACEBACK_H_

#include <map>
#include <string>

#include "runner/observe/parse/observation.h"

namespace zs {

// Follows each traceback from "Traceback (most recent call last)" to the line
// that names the exception. Ranks are told apart by their prefixes, so that
// two tracebacks whose lines alternate are read apart; without prefixes the
// later one replaces the earlier. Bounded: at most kMaxOpen at a time, each
// given up after kMaxLines.
class TracebackReader {
 public:
  static constexpr int kMaxLines = 400;
  static constexpr size_t kMaxOpen = 64;

  // LINE holds "Traceback (most recent".
  void Open(const LogLine& line);

  bool wants_lines() const { return !open_.empty(); }

  // A line that follows; delivers a PythonError where it ends a traceback.
  void TakeLine(const LogLine& line, ObservationSink& sink);

 private:
  struct Trace {
    int64_t first_line = 0;
    int lines = 0;
    int rank = -1;
    std::string frame;
  };
  std::map<std::string, Trace, std::less<>> open_;  // by prefix
};

}  // namespace zs

#endif  // RUNNER_OBSERVE_PARSE_TRACEBACK_H_
