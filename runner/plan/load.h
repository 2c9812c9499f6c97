// From an experiment file to a validated sweep.
#ifndef RUNNER_PLAN_LOAD_H_
#define RUNNER_PLAN_LOAD_H_

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "runner/plan/eval/request.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

struct LoadedSweep {
  Sweep sweep;
  std::string document;             // the JSON that the file evaluates to
  std::vector<ImportedFile> files;  // the file and what it imports
  std::string trace;                // what std.trace printed
};

// Evaluates and validates the file of REQUEST. The error's message has all
// faults, a line each (at most 100), every line beginning with the file; the
// codes are those of Evaluate (evaluate.h), kInvalidArgument for a document
// that is refused. Blocks while the file is evaluated. MEANWHILE, and that the
// process may have one thread only: as in Evaluate.
Result<LoadedSweep> LoadSweep(const EvalRequest& request,
                              const std::function<void()>& meanwhile = {});

}  // namespace zs

#endif  // RUNNER_PLAN_LOAD_H_
