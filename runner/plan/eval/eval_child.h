// What the process that evaluates Jsonnet does: a hostile or unlucky file can
// take it down, but nothing else.
#ifndef RUNNER_PLAN_EVAL_EVAL_CHILD_H_
#define RUNNER_PLAN_EVAL_EVAL_CHILD_H_

#include "runner/plan/eval/request.h"

namespace zs {

// Limits this process, evaluates, and writes an EvalHeader and the document to
// standard output. Returns the exit status: 0 where an answer (a result or an
// error) was written.
int EvalInChild(const EvalRequest& request);

}  // namespace zs

#endif  // RUNNER_PLAN_EVAL_EVAL_CHILD_H_
