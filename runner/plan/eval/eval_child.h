// The process that evaluates Jsonnet: a hostile or unlucky file can take it
// down, but nothing else. The runner's program is started again with one
// hidden argument, so that there is nothing else to install or to find.
#ifndef RUNNER_PLAN_EVAL_EVAL_CHILD_H_
#define RUNNER_PLAN_EVAL_EVAL_CHILD_H_

namespace zs {

inline constexpr char kEvalChildArgument[] = "--zs-evaluate-jsonnet";

// Whether the program was started as the evaluating child. Any program that
// calls Evaluate (evaluate.h) begins its main with
//   if (IsEvalChild(argc, argv)) return EvalChildMain();
bool IsEvalChild(int argc, char** argv);

// Reads an EvalRequest from standard input, limits the process, evaluates and
// writes an EvalHeader and the document to standard output. Returns the exit
// status: 0 where an answer (a result or an error) was written.
int EvalChildMain();

}  // namespace zs

#endif  // RUNNER_PLAN_EVAL_EVAL_CHILD_H_
