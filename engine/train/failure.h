// Why a rank ends, and with which exit status.
#ifndef ENGINE_TRAIN_FAILURE_H_
#define ENGINE_TRAIN_FAILURE_H_

#include "base/status.h"
#include "engine/api/exit_code.h"

namespace zs {

struct Failure {
  EngineExit exit = EngineExit::kOk;
  Status status;
  bool ok() const { return status.ok(); }
};

// The failure that STATUS is. Its code tells what went wrong whatever was done:
// a lost peer (kUnavailable, kDeadlineExceeded), memory (kResourceExhausted),
// the end on request (kCancelled). Every other code is the fault of what was
// done, OTHERWISE.
Failure FailureOf(Status status, EngineExit otherwise);

}  // namespace zs

#endif  // ENGINE_TRAIN_FAILURE_H_
