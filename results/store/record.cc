#include "results/store/record.h"

namespace zs::results {

std::string_view Name(ProcessState state) {
  switch (state) {
    case ProcessState::kExited:
      return "exited";
    case ProcessState::kKilled:
      return "killed";
    case ProcessState::kTimedOut:
      return "timed_out";
    case ProcessState::kHung:
      return "hung";
    case ProcessState::kLost:
      return "lost";
  }
  return "";
}

std::string_view Name(MeasurementState state) {
  switch (state) {
    case MeasurementState::kValid:
      return "valid";
    case MeasurementState::kIncomplete:
      return "incomplete";
    case MeasurementState::kNoData:
      return "no_data";
    case MeasurementState::kInvalidLoss:
      return "invalid_loss";
  }
  return "";
}

std::string_view Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "fail";
    case Verdict::kUndecided:
      return "undecided";
  }
  return "";
}

std::string_view Name(NotRun state) {
  switch (state) {
    case NotRun::kCached:
      return "cached";
    case NotRun::kSkippedNeedFailed:
      return "need_failed";
    case NotRun::kSkippedExcluded:
      return "excluded";
    case NotRun::kSkippedDoesNotFit:
      return "does_not_fit";
    case NotRun::kSkippedBudget:
      return "budget";
  }
  return "";
}

std::string_view Name(CheckStatus status) {
  switch (status) {
    case CheckStatus::kPass:
      return "pass";
    case CheckStatus::kWarn:
      return "warn";
    case CheckStatus::kFail:
      return "fail";
    case CheckStatus::kUnknown:
      return "unknown";
  }
  return "";
}

std::string_view Name(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "";
}

std::string_view Name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kMeasured:
      return "measured";
    case MemoryKind::kPredicted:
      return "predicted";
  }
  return "";
}

}  // namespace zs::results
