// The one pass over a log: bytes in, observations out.
#ifndef RUNNER_OBSERVE_PARSE_SCANNER_H_
#define RUNNER_OBSERVE_PARSE_SCANNER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runner/observe/parse/observation.h"
#include "runner/observe/parse/repeats.h"
#include "runner/observe/parse/torch.h"
#include "runner/observe/parse/traceback.h"
#include "runner/observe/text/lines.h"

namespace zs {

class WordTable;

// What a stream held, understood or not.
struct ScanCounts {
  int64_t bytes = 0;
  int64_t lines = 0;
  int64_t recognised = 0;  // lines with at least one observation
  int64_t cut_lines = 0;   // too long, middle left out
};

// Reads one stream (a file, or one node's output as it comes). Feed may be
// called with any pieces, down to single bytes; the observations are the same.
// Memory is bounded by LineAssembler's. Not thread-safe; streams on several
// threads need a scanner and a sink each.
class LogScanner {
 public:
  // SOURCE is passed on in LogLine::source. SINK must outlive the scanner.
  LogScanner(int source, ObservationSink& sink);
  ~LogScanner();
  LogScanner(const LogScanner&) = delete;
  LogScanner& operator=(const LogScanner&) = delete;

  void Feed(std::string_view bytes) { lines_.Feed(bytes); }

  // From now on large pieces are read by two threads; the observations, their
  // order and the thread that delivers them stay the same. SINK is asked
  // WantsStep less often.
  void UseTwoThreads();

  // The stream has ended; call once.
  void Finish();

  ScanCounts counts() const;

 private:
  class Counter;
  class Ahead;

  void TakeBlock(std::string_view block);
  void ScanBlock(std::string_view block);
  size_t SkipTo(std::string_view block, size_t at, size_t hit);
  // Scans the line at [START, END) of BLOCK; HIT is where its first known word
  // starts, or npos where that has to be found out.
  void ScanRawLine(std::string_view raw, size_t hit);
  void ScanText(std::string_view text, size_t from);
  // As Dispatch, on the part of a very long line around AT.
  size_t DispatchWithin(const LogLine& line, size_t at, int word);
  size_t Dispatch(const LogLine& line, size_t at, int word);
  size_t MatchSignatures(const LogLine& line, size_t at, int word);
  bool wants_lines() const {
    return traceback_.wants_lines() || report_.wants_lines();
  }

  const WordTable& words_;
  ObservationSink& sink_;
  std::unique_ptr<Counter> counter_;  // in front of sink_
  LineAssembler lines_;
  NcclRepeats repeats_;
  TracebackReader traceback_;
  FailureReport report_;
  int source_;
  int64_t line_number_ = 0;  // of the last line that was looked at
  int64_t recognised_ = 0;
  bool cleaned_ = false;              // a line had control characters
  std::unique_ptr<Ahead> ahead_;      // null: one thread
  std::string clean_;                 // a line without control characters
  std::vector<uint32_t> hit_counts_;  // by expression: hits so far
};

}  // namespace zs

#endif  // RUNNER_OBSERVE_PARSE_SCANNER_H_
