// From an experiment file to JSON, whatever the file does.
#ifndef RUNNER_PLAN_EVAL_EVALUATE_H_
#define RUNNER_PLAN_EVAL_EVALUATE_H_

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "runner/plan/eval/request.h"

namespace zs {

struct Evaluated {
  std::string document;             // JSON
  std::vector<ImportedFile> files;  // the experiment file and its imports
  std::string trace;                // what std.trace printed, at most 64 KiB
};

// Evaluates a file in a child process under the limits of REQUEST: a copy of
// this one, which must have one thread only, with an empty environment and none
// of its descriptors. MEANWHILE is work of this process that needs nothing of
// the result: it is called once while the child evaluates. Errors:
//   kInvalidArgument   what Jsonnet says, with file:line:column; a missing,
//                      unreadable or forbidden file; a crash of the evaluator
//   kResourceExhausted memory, CPU time, or size of the output
//   kDeadlineExceeded  wall-clock time
//   others             this machine could not start the child
// Blocks at most limits.wall_s and leaves no process behind.
Result<Evaluated> Evaluate(const EvalRequest& request,
                           const std::function<void()>& meanwhile = {});

}  // namespace zs

#endif  // RUNNER_PLAN_EVAL_EVALUATE_H_
