#include "runner/cli/report_gate.h"

#include <cstdio>
#include <utility>

#include "results/report/noise_floor.h"
#include "runner/cli/exit_code.h"

namespace zs {

Result<Gates> ParseGates(const Arguments& a) {
  Gates gates;
  if (!a.gate.empty()) {
    ASSIGN_OR_RETURN(gates.share, results::ParseGate(a.gate));
  }
  for (const std::string& text : a.fail_if) {
    ASSIGN_OR_RETURN(results::FailIf condition, results::ParseFailIf(text));
    gates.conditions.push_back(std::move(condition));
  }
  return gates;
}

Result<std::vector<results::GateResult>> JudgeGates(
    const results::Reader& reader, const results::Comparison& comparison,
    const Gates& gates) {
  ASSIGN_OR_RETURN(const std::string refused,
                   results::WhyBelowFloor(reader, comparison, gates.share));
  if (!refused.empty()) {
    return InvalidArgumentError(refused);
  }
  std::vector<results::GateResult> results =
      results::JudgeGate(comparison, gates.share);
  if (gates.share > 0 && results.empty()) {
    return InvalidArgumentError(
        "--gate: nothing is compared with a baseline here; name one experiment "
        "more with --compare");
  }
  for (const results::FailIf& condition : gates.conditions) {
    ASSIGN_OR_RETURN(results::GateResult result,
                     results::JudgeFailIf(comparison, condition));
    results.push_back(std::move(result));
  }
  return results;
}

int TellGates(const std::vector<results::GateResult>& results) {
  int code = kExitOk;
  for (const results::GateResult& result : results) {
    std::fprintf(stderr, "gate: %s\n", result.text.c_str());
    if (result.state == results::GateState::kFails) {
      code = kExitRegression;
    } else if (result.state == results::GateState::kUnknown &&
               code == kExitOk) {
      code = kExitNothingMeasured;
    }
  }
  return code;
}

}  // namespace zs
