// Who wrote a line and when, for quoting it.
#ifndef RUNNER_OBSERVE_DIAGNOSE_LINE_REF_H_
#define RUNNER_OBSERVE_DIAGNOSE_LINE_REF_H_

#include <vector>

#include "runner/observe/diagnose/facts.h"

namespace zs {

// LINE as a reference: its quote (400 bytes at most), the node (NCCL's host,
// a launcher's prefix, Slurm's or the file's name), the rank and the time.
LineRef MakeLineRef(const std::vector<LogSource>& sources, const LogLine& line);

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_LINE_REF_H_
