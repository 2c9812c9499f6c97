// diagnose: what happened in logs of any origin.
#include <string>

#include "base/json.h"
#include "runner/cli/commands.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/output.h"
#include "runner/observe/diagnose/diagnosis.h"
#include "runner/observe/diagnose/diagnosis_json.h"
#include "runner/observe/diagnose/diagnosis_text.h"

namespace zs {
namespace {

// Healthy and degraded runs went through; a failed one did not; what nobody
// recognised is no pass.
int ExitCodeOf(Health verdict) {
  switch (verdict) {
    case Health::kFailed:
      return kExitFailed;
    case Health::kUnknown:
      return kExitNothingMeasured;
    default:
      return kExitOk;
  }
}

}  // namespace

int DiagnoseCommand(const Arguments& a) {
  const auto diagnosis = DiagnoseLogs(a.logs);
  if (!diagnosis.ok()) {
    return Complain(diagnosis.status(), kExitRequest);
  }
  Print(a.format == "json" ? DumpJsonPretty(DiagnosisToJson(*diagnosis)) + "\n"
                           : DiagnosisToText(*diagnosis));
  return ExitCodeOf(diagnosis->verdict);
}

}  // namespace zs
