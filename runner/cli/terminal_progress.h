// How a sweep goes on, for a person who watches: one line an experiment and,
// on a terminal, a live line below.
#ifndef RUNNER_CLI_TERMINAL_PROGRESS_H_
#define RUNNER_CLI_TERMINAL_PROGRESS_H_

#include <cstdint>
#include <cstdio>
#include <string>

#include "base/clock.h"
#include "runner/sweep/progress.h"

namespace zs {

struct TerminalProgressOptions {
  std::FILE* out = stderr;
  bool live = false;   // redraw a line in place (a terminal)
  bool color = false;  // a terminal, and NO_COLOR is not set
};

// Not thread-safe. Without `live` a step is printed every ten seconds at most.
class TerminalProgress final : public SweepProgress {
 public:
  // CLOCK outlives it.
  TerminalProgress(TerminalProgressOptions options, const Clock& clock)
      : options_(options), clock_(clock) {}

  void SweepStarted(const std::string& sweep, int experiments,
                    int to_run) override;
  void NotRun(const Experiment& experiment, results::NotRun state,
              const std::string& reason) override;
  void RunStarted(const Experiment& experiment, int repeat,
                  int attempt) override;
  void Step(const Experiment& experiment,
            const results::StepRow& step) override;
  void RunEnded(const Experiment& experiment,
                const results::RunOutcome& outcome,
                const Measured& measured) override;
  void Note(const std::string& text) override;

 private:
  // A line that stays, with TAG in COLOR before it.
  void Line(const std::string& tag, const char* color, const std::string& text);
  void ClearLive();

  TerminalProgressOptions options_;
  const Clock& clock_;
  bool live_shown_ = false;
  int64_t run_started_ns_ = 0;
  int64_t last_shown_ns_ = 0;
};

// N with commas: 12345.6 is "12,346".
std::string WithCommas(double n);

}  // namespace zs

#endif  // RUNNER_CLI_TERMINAL_PROGRESS_H_
