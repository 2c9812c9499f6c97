// The gates of `report`: --gate and --fail-if.
#ifndef RUNNER_CLI_REPORT_GATE_H_
#define RUNNER_CLI_REPORT_GATE_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "results/report/comparison.h"
#include "results/report/gate.h"
#include "results/store/reader.h"
#include "runner/cli/arguments.h"

namespace zs {

struct Gates {
  double share = 0;  // --gate; 0: none
  std::vector<results::FailIf> conditions;
};

// kInvalidArgument where the words are wrong.
Result<Gates> ParseGates(const Arguments& arguments);

// Judges them all. An error where a condition names nobody, or the gate is
// below the noise floor.
Result<std::vector<results::GateResult>> JudgeGates(
    const results::Reader& reader, const results::Comparison& comparison,
    const Gates& gates);

// Says each of RESULTS on stderr: kExitRegression where one fails,
// kExitNothingMeasured where one has nothing to judge, else kExitOk.
int TellGates(const std::vector<results::GateResult>& results);

}  // namespace zs

#endif  // RUNNER_CLI_REPORT_GATE_H_
