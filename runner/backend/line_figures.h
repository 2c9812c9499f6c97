// Figures of steps in the lines of any program, found by the expressions of
// its experiment.
#ifndef RUNNER_BACKEND_LINE_FIGURES_H_
#define RUNNER_BACKEND_LINE_FIGURES_H_

#include <memory>
#include <optional>
#include <string_view>

#include "results/store/record.h"
#include "runner/plan/spec/experiment.h"

namespace re2 {
class RE2;
}

namespace zs {

// Reads one stream. A step is told by a line that the step's expression
// matches; its other figures stand on that line or on lines since the last
// step. A loss that is "nan" or "inf" is seen as such also where the expression
// takes digits alone: "loss ([0-9.]+)". Lines that are no UTF-8 are read as
// bytes. Not thread-safe.
class LineFigures {
 public:
  // The expressions of SPEC have been validated; one that is none never
  // matches.
  explicit LineFigures(const CommandSpec& spec);
  ~LineFigures();
  LineFigures(LineFigures&& other) noexcept;

  // The step that LINE completes.
  std::optional<results::StepRow> Take(std::string_view line);

 private:
  std::optional<double> Find(const std::unique_ptr<re2::RE2>& expression,
                             std::string_view line) const;
  // The loss where a word for none stands in the place of its digits.
  std::optional<double> FindBadLoss(std::string_view line) const;

  std::unique_ptr<re2::RE2> step_;
  std::unique_ptr<re2::RE2> step_ms_;
  std::unique_ptr<re2::RE2> tokens_;
  std::unique_ptr<re2::RE2> loss_;
  std::unique_ptr<re2::RE2> no_number_;  // "nan", "-inf", as a word
  results::StepRow pending_;
};

}  // namespace zs

#endif  // RUNNER_BACKEND_LINE_FIGURES_H_
