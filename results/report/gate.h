// Whether a comparison is good enough to let a change in.
#ifndef RESULTS_REPORT_GATE_H_
#define RESULTS_REPORT_GATE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "results/report/comparison.h"
#include "results/report/table.h"

namespace zs::results {

// `--fail-if 'z1 < 0.95'`: a bound on the speed of an experiment against its
// baseline.
struct FailIf {
  std::string experiment;
  bool below = true;  // fails below the bound; else above
  double bound = 0;
};

// "NAME < NUMBER" or "NAME > NUMBER". kInvalidArgument says so.
Result<FailIf> ParseFailIf(std::string_view text);

// "3%", "3 %" or "0.03" as 0.03. kInvalidArgument for all that is not above 0
// and below 100%.
Result<double> ParseGate(std::string_view text);

enum class GateState {
  kHolds,
  kFails,      // threshold and interval agree that it is worse
  kUndecided,  // the value is beyond the threshold, the interval does not agree
  kUnknown,    // no ratio to judge
};

struct GateResult {
  GateState state = GateState::kHolds;
  std::string name;    // of the experiment
  std::string wanted;  // "at least 0.97 wanted"
  std::string text;    // "z1: 0.94 [0.92, 0.96], at least 0.97 wanted: FAILS"
};

// For every experiment that is compared with another: fails where its ratio is
// below 1 - GATE and the whole interval below 1. GATE 0: no results.
std::vector<GateResult> JudgeGate(const Comparison& comparison, double gate);

// Fails where the whole interval is on the wrong side of the bound. kNotFound
// where no experiment has that name.
Result<GateResult> JudgeFailIf(const Comparison& comparison,
                               const FailIf& condition);

// RESULTS for a Markdown summary and, a testcase for each gate, as JUnit XML:
// a gate that fails is a failure, one with nothing to judge an error.
Table GateTable(const std::vector<GateResult>& results);
std::string GatesXml(const std::vector<GateResult>& results);

// The smallest change of speed, as a share, that RUNS of the two sides can show
// where runs deviate by DEVIATION (95%, known from FLOOR_RUNS runs).
double SmallestVisible(double deviation, int floor_runs,
                       std::pair<int, int> runs);

}  // namespace zs::results

#endif  // RESULTS_REPORT_GATE_H_
