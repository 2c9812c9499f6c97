// Jsonnet, evaluated in this process. For the child process alone
// (eval_child.h): a hostile file can crash libjsonnet.
#ifndef RUNNER_PLAN_EVAL_EVALUATION_H_
#define RUNNER_PLAN_EVAL_EVALUATION_H_

#include <string>

#include "runner/plan/eval/request.h"

namespace zs {

struct EvalAnswer {
  EvalHeader header;
  std::string document;  // JSON; empty where header.error is not
};

// Evaluates the file of REQUEST. A function gets the top-level arguments, and
// `machine` where it has such a parameter and the request offers it.
EvalAnswer EvaluateHere(const EvalRequest& request);

}  // namespace zs

#endif  // RUNNER_PLAN_EVAL_EVALUATION_H_
